// The partitions on the screen as a picture of its own: SVG with nothing but attributes, so that every program draws it.

import { valueOf } from './attribute';
import { type Bracket, type Partition, chipWidth } from './collection';
import { bytes, plural, units } from './format';

export interface ChipColour {
  fill: string;
  edge: string;
  text: string;
}

export interface Picture {
  title: string;
  partitions: readonly Partition[];
  brackets: Map<string, Bracket>;
  pattern: string | null;
  hidden: Set<string>;
  colourOf: (entity: string | null) => ChipColour;
  paper: string;
  ink: string;
  quiet: string;
}

const kWidth = 1280;
const kHead = 300;
const kMargin = 24;
const kChip = 26;
const kGap = 5;

export const escaped = (text: string) =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

// A character of the fonts used is about this wide.
const cut = (text: string, pixels: number, perCharacter: number) => {
  const most = Math.max(1, Math.floor(pixels / perCharacter));
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
};

export function collectionSvg({ title, partitions, brackets, pattern, hidden, colourOf, paper, ink, quiet }: Picture): { svg: string; width: number; height: number } {
  const out: string[] = [];
  const sans = 'font-family="system-ui, sans-serif"';
  const mono = 'font-family="ui-monospace, monospace"';
  let y = kMargin + 20;
  out.push(`<text x="${kMargin}" y="${y}" ${sans} font-size="18" font-weight="600" fill="${ink}">${escaped(title)}</text>`);
  y += 22;
  const names = [...new Set(partitions.flatMap(({ chips }) => chips.map(({ entity }) => entity?.name ?? '')))].filter((name) => !hidden.has(name));
  let x = kMargin;
  for (const name of names) {
    const label = name || 'no entity';
    const wide = 24 + label.length * 7;
    if (x + wide > kWidth - kMargin) [x, y] = [kMargin, y + 22];
    const { fill, edge } = colourOf(name || null);
    out.push(`<rect x="${x}" y="${y - 10}" width="12" height="12" rx="3" fill="${fill}" stroke="${edge}"/><text x="${x + 17}" y="${y}" ${sans} font-size="12" fill="${ink}">${escaped(label)}</text>`);
    x += wide;
  }
  y += 18;
  for (const partition of partitions) {
    const shown = partition.chips.filter(({ entity }) => !hidden.has(entity?.name ?? ''));
    if (shown.length === 0) continue;
    const bracket = brackets.get(partition.id);
    const top = y;
    if (bracket) y += 16;
    let left = kMargin + kHead;
    let line = y;
    const reads: { x: number; end: number; y: number }[] = [];
    const chips = shown.map((chip) => {
      const wide = Math.min(chipWidth(chip.bytes), kWidth - kHead - 2 * kMargin);
      if (left + wide > kWidth - kMargin) [left, line] = [kMargin + kHead, line + kChip + kGap + 4];
      const { fill, edge, text } = colourOf(chip.entity?.name ?? null);
      if (bracket?.read.has(chip.id)) {
        const last = reads.at(-1);
        if (last && last.y === line) last.end = left + wide;
        else reads.push({ x: left, end: left + wide, y: line });
      }
      const drawn = `<rect x="${left}" y="${line}" width="${wide}" height="${kChip}" rx="5" fill="${fill}" stroke="${edge}"/><text x="${left + 6}" y="${line + 17}" ${mono} font-size="11" fill="${text}">${escaped(cut(chip.label || '·', wide - 12, 6.7))}</text>`;
      left += wide + kGap;
      return drawn;
    });
    const bottom = line + kChip;
    out.push(
      `<rect x="${kMargin - 8}" y="${top - 5}" width="${kWidth - 2 * kMargin + 16}" height="${bottom - top + 10}" rx="8" fill="none" stroke="${quiet}" stroke-opacity="0.35"/>`,
      `<text x="${kMargin}" y="${y + 17}" ${mono} font-size="12" fill="${ink}">${escaped(cut(String(valueOf(partition.key)), kHead - 110, 7.3))}</text>`,
      `<text x="${kMargin + kHead - 12}" y="${y + 17}" ${sans} font-size="11" text-anchor="end" fill="${quiet}">${escaped(`${plural(partition.chips.length, 'item')}${partition.more ? '+' : ''} · ${bytes(partition.bytes)}`)}</text>`,
      ...chips,
      ...reads.map((run) => `<path d="M${run.x} ${run.y + 6}V${run.y - 3}H${run.end}V${run.y + 6}" fill="none" stroke="${ink}" stroke-width="1.5"/>`),
    );
    if (bracket && reads[0]) out.push(`<text x="${reads[0].x}" y="${reads[0].y - 7}" ${sans} font-size="11" font-weight="600" fill="${ink}">${escaped(`${pattern ?? ''} · ${bracket.read.size} · ${units(bracket.units)} RCU`)}</text>`);
    y = bottom + 18;
  }
  const height = Math.round(y + kMargin - 12);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${kWidth}" height="${height}" viewBox="0 0 ${kWidth} ${height}"><rect width="${kWidth}" height="${height}" fill="${paper}"/>${out.join('')}</svg>`;
  return { svg, width: kWidth, height };
}
