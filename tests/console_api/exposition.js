// A strict reader of Prometheus' text format 0.0.4: throws at the first line that is not as the format says.

const kName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const kLabel = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const kSuffixes = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] };

function readNumber(text) {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}

function readLabels(text, line) {
  const labels = {};
  let at = 0;
  while (at < text.length) {
    const equals = text.indexOf('="', at);
    const name = text.slice(at, equals);
    if (equals < 0 || !kLabel.test(name) || name in labels) throw new Error(`bad label in ${line}`);
    let value = '';
    let end = equals + 2;
    for (; text[end] !== '"'; end += 1) {
      if (end >= text.length) throw new Error(`label without end in ${line}`);
      if (text[end] === '\\') {
        end += 1;
        const escape = { n: '\n', '"': '"', '\\': '\\' }[text[end]];
        if (escape === undefined) throw new Error(`bad escape in ${line}`);
        value += escape;
      } else value += text[end];
    }
    labels[name] = value;
    at = end + 1;
    if (at < text.length && text[at] !== ',') throw new Error(`no comma in ${line}`);
    at += 1;
  }
  return labels;
}

// name -> {type, help, samples: [{name, labels, value}]}
export function readExposition(text) {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map();
  const seen = new Set();
  let family = null;
  let help = null;
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment) {
      const [, kind, name, rest] = comment;
      if (!kName.test(name)) throw new Error(`bad name: ${line}`);
      if (kind === 'HELP') {
        help = { name, text: rest };
        continue;
      }
      if (!(rest in kSuffixes)) throw new Error(`unknown type: ${line}`);
      if (families.has(name)) throw new Error(`two families ${name}`);
      if (help?.name !== name || help.text.trim() === '') throw new Error(`no help before ${line}`);
      if (rest === 'counter' && !name.endsWith('_total')) throw new Error(`a counter not named _total: ${name}`);
      if (rest !== 'counter' && name.endsWith('_total')) throw new Error(`named _total, is a ${rest}: ${name}`);
      family = { name, type: rest, help: help.text, samples: [] };
      families.set(name, family);
      continue;
    }
    const sample = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!sample) throw new Error(`neither comment nor sample: ${line}`);
    const [, name, labelText = '', number] = sample;
    if (!kName.test(name)) throw new Error(`bad name: ${line}`);
    if (!family || !kSuffixes[family.type].some((suffix) => name === family.name + suffix))
      throw new Error(`not of the family ${family?.name}: ${line}`);
    const labels = readLabels(labelText, line);
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    family.samples.push({ name, labels, value: readNumber(number) });
  }
  for (const each of families.values()) if (each.type === 'histogram') checkHistogram(each);
  return families;
}

// Bounds rise, counts never fall, the last bound is +Inf and equals the count.
function checkHistogram({ name, samples }) {
  const groups = new Map();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    if (!groups.has(key)) groups.set(key, { buckets: [] });
    const group = groups.get(key);
    if (sample.name === `${name}_bucket`) group.buckets.push({ le: readNumber(le), value: sample.value });
    else group[sample.name.slice(name.length + 1)] = sample.value;
  }
  for (const [key, { buckets, sum, count }] of groups) {
    if (sum === undefined || count === undefined) throw new Error(`${name}${key} lacks sum or count`);
    buckets.forEach((bucket, i) => {
      if (i > 0 && (bucket.le <= buckets[i - 1].le || bucket.value < buckets[i - 1].value))
        throw new Error(`${name}${key} does not rise at ${bucket.le}`);
    });
    if (buckets.at(-1)?.le !== Infinity || buckets.at(-1).value !== count)
      throw new Error(`${name}${key} does not end with +Inf and its count`);
  }
}
