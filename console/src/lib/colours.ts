// A colour for each entity that does not change when another entity is added: hues in slots, chosen by the name's hash;
// a name whose slot is taken gets the next free one.

const kHues = [28, 52, 84, 116, 142, 166, 190, 214, 238, 262, 288, 314, 338, 4];

export interface Colour {
  hue: number;
  tone: 0 | 1; // the second round of slots is darker, so that two entities of one hue differ
}

function hash(text: string): number {
  let value = 2166136261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}

export function entityColours(names: readonly string[]): Map<string, Colour> {
  const slots = kHues.length * 2;
  const taken = new Set<number>();
  const colours = new Map<string, Colour>();
  for (const name of names) {
    let slot = hash(name) % kHues.length;
    // Steps of five through fourteen hues visit all of them and keep neighbours apart.
    for (let tries = 1; taken.has(slot) && tries < slots; tries++) {
      slot = tries % kHues.length === 0 ? (slot + kHues.length) % slots : (slot >= kHues.length ? kHues.length : 0) + (((slot % kHues.length) + 5) % kHues.length);
    }
    taken.add(slot);
    colours.set(name, { hue: kHues[slot % kHues.length]!, tone: slot < kHues.length ? 0 : 1 });
  }
  return colours;
}
