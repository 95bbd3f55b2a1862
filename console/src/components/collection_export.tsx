// The picture of the partitions as a file, in the colours that the page has now.

import type { Model } from '../api/models';
import { type Picture, collectionSvg } from '../lib/collection_svg';
import { download, stamp } from '../lib/export';
import { Button } from './controls';
import { hueOf } from './entity';
import { toast } from './feedback';

// Any colour of CSS as #rrggbb, which every program knows.
function hexOf(colour: string): string {
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')!;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return `#${[...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function computedColours(className: string, style: Record<string, unknown>) {
  const probe = document.createElement('button');
  probe.className = `chip ${className}`;
  for (const [name, value] of Object.entries(style)) probe.style.setProperty(name, String(value));
  document.body.append(probe);
  const { backgroundColor, borderTopColor, color } = getComputedStyle(probe);
  probe.remove();
  return { fill: hexOf(backgroundColor), edge: hexOf(borderTopColor), text: hexOf(color) };
}

function drawn(picture: Omit<Picture, 'colourOf' | 'paper' | 'ink' | 'quiet'>, model: Model | undefined) {
  const known = new Map<string | null, ReturnType<typeof computedColours>>();
  const colourOf = (entity: string | null) => {
    if (!known.has(entity)) {
      const { className, style } = hueOf(model, entity);
      known.set(entity, computedColours(className, style as Record<string, unknown>));
    }
    return known.get(entity)!;
  };
  const page = getComputedStyle(document.documentElement);
  const ink = hexOf(page.color);
  return collectionSvg({ ...picture, colourOf, paper: hexOf(page.backgroundColor), ink, quiet: computedColours('unknown', {}).text });
}

async function toPng(svg: string, width: number, height: number): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    // Twice the size, for screens and print; a canvas has an end.
    const scale = Math.min(2, 16_000 / height);
    const canvas = Object.assign(document.createElement('canvas'), { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no picture'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function CollectionExport({ picture, model, name }: { picture: Omit<Picture, 'colourOf' | 'paper' | 'ink' | 'quiet'>; model: Model | undefined; name: string }) {
  const save = async (kind: 'svg' | 'png') => {
    try {
      const { svg, width, height } = drawn(picture, model);
      download(`${name}-${stamp(Date.now())}.${kind}`, kind === 'svg' ? svg : await toPng(svg, width, height), 'image/svg+xml');
    } catch (error) {
      toast((error as Error).message, true);
    }
  };
  return (
    <span className="row push">
      <Button size="small" icon="download" onClick={() => void save('svg')}>
        SVG
      </Button>
      <Button size="small" icon="download" onClick={() => void save('png')}>
        PNG
      </Button>
    </span>
  );
}
