// Lines over time as SVG: a sparkline, and a chart with a scale and a crosshair that several charts can share.

import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { clock } from '../lib/format';

export function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

const path = (points: [number, number][]) => points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

export function Sparkline({ values, label, height = 44 }: { values: number[]; label: string; height?: number }) {
  const [box, width] = useWidth();
  const most = Math.max(1, ...values);
  const points = values.map((value, at): [number, number] => [(at / Math.max(1, values.length - 1)) * width, height - 2 - (value / most) * (height - 6)]);
  return (
    <div ref={box}>
      <svg className="chart" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {points.length > 1 && (
          <>
            <path d={`${path(points)}L${width} ${height}L0 ${height}Z`} fill="var(--accent-wash)" />
            <path d={path(points)} fill="none" stroke="var(--accent)" strokeWidth="1.6" />
          </>
        )}
      </svg>
    </div>
  );
}

// The next number of the form 1, 2 or 5 times a power of ten.
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= value) ?? value;
}

export interface Series {
  name: string;
  colour: string;
  values: (number | null)[];
}

interface TimeChartProps {
  title: string;
  times: number[];
  series: Series[];
  format: (value: number) => string;
  at: number | null; // the moment under the crosshair
  setAt: (at: number | null) => void;
  height?: number;
}

export function TimeChart({ title, times, series, format, at, setAt, height = 150 }: TimeChartProps) {
  const [box, width] = useWidth();
  const id = useId();
  const left = 52;
  const bottom = height - 20;
  const top = useMemo(() => niceTop(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))), [series]);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 1;
  const x = (time: number) => left + ((time - first) / Math.max(1, last - first)) * (width - left - 8);
  const y = (value: number) => 8 + (1 - value / top) * (bottom - 8);
  const nearest = at === null ? -1 : times.reduce((best, time, index) => (Math.abs(time - at) < Math.abs(times[best]! - at) ? index : best), 0);
  const shown = nearest >= 0 ? nearest : times.length - 1;
  return (
    <figure ref={box} aria-labelledby={id} className="stack tight">
      <figcaption className="row spread">
        <h2 id={id}>{title}</h2>
        <span className="legend">
          {series.map(({ name, colour, values }) => (
            <span key={name}>
              <i style={{ background: colour }} />
              {name} <b className="mono">{values[shown] === null || values[shown] === undefined ? '–' : format(values[shown])}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        className="chart"
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}: ${series.map(({ name, values }) => `${name} now ${format(values.at(-1) ?? 0)}`).join(', ')}`}
        onPointerMove={(event) => {
          const share = (event.nativeEvent.offsetX - left) / Math.max(1, width - left - 8);
          setAt(first + Math.min(1, Math.max(0, share)) * (last - first));
        }}
        onPointerLeave={() => setAt(null)}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="axis" x1={left} x2={width - 8} y1={y(top * share)} y2={y(top * share)} />
            <text x={left - 8} y={y(top * share) + 4} textAnchor="end">
              {format(top * share)}
            </text>
          </g>
        ))}
        {times.length > 1 && (
          <>
            <text x={left} y={height - 3}>
              {clock(first)}
            </text>
            <text x={width - 8} y={height - 3} textAnchor="end">
              {clock(last)}
            </text>
          </>
        )}
        {series.map(({ name, colour, values }) => (
          <path
            key={name}
            d={path(values.flatMap((value, index): [number, number][] => (value === null ? [] : [[x(times[index]!), y(value)]])))}
            fill="none"
            stroke={colour}
            strokeWidth="1.6"
            strokeLinejoin="round"
          />
        ))}
        {nearest >= 0 && times[nearest] !== undefined && (
          <g>
            <line x1={x(times[nearest])} x2={x(times[nearest])} y1="8" y2={bottom} stroke="var(--ink-3)" strokeDasharray="3 3" />
            <text x={Math.min(width - 34, Math.max(left + 26, x(times[nearest])))} y={height - 3} textAnchor="middle">
              {clock(times[nearest])}
            </text>
          </g>
        )}
      </svg>
    </figure>
  );
}
