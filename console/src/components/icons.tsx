// Line icons on a 24 x 24 field. They are decoration: the words beside them carry the meaning.

const kPaths: Record<string, string> = {
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9',
  items: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  collections: 'M3 6h7M12 6h3M17 6h4M3 12h4M9 12h8M19 12h2M3 18h10M15 18h3',
  pattern: 'M4 6h5l3 6 3-6h5M12 12v8M9 17l3 3 3-3',
  model: 'M4 4h6v5H4zM14 15h6v5h-6zM14 4h6v5h-6zM7 9v8.5h7M17 9v6',
  api: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  shield: 'M12 3l7 3v5.5c0 4.5-3 7.7-7 9.5-4-1.8-7-5-7-9.5V6zM9 12l2.2 2.2L15.5 10',
  coins: 'M4 8c0-1.7 2.2-3 5-3s5 1.3 5 3-2.2 3-5 3-5-1.3-5-3zM4 8v5c0 1.7 2.2 3 5 3M14 8v2M10 15c0-1.7 2.2-3 5-3s5 1.3 5 3-2.2 3-5 3-5-1.3-5-3zM10 15v3c0 1.4 2.2 2.5 5 2.5s5-1.1 5-2.5v-3',
  spark: 'M12 3l1.9 5.6L19.5 10.5l-5.6 1.9L12 18l-1.9-5.6L4.5 10.5l5.6-1.9zM19 16v4M17 18h4',
  cart: 'M3 4h2.5l2 11h10l2-8H6.3M9 19.5h.01M16.5 19.5h.01',
  users: 'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM2.5 20c.4-3.6 3-5.5 6.500-5.500s6.100 1.900 6.500 5.500M16 4.500a3.500 3.500 0 010 6.500M17.500 14.800c2.400.600 3.800 2.400 4 5.200',
  story: 'M5 4h9l5 5v11H5zM14 4v5h5M8.500 13h7M8.500 16.500h5',
  chart: 'M4 4v16h16M7.500 15l3.500-4.500 3 2.500 5-6.500',
  requests: 'M3 12h4l2.500-7 4 14L16.500 12H21',
  objects: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  admin: 'M12 15.200a3.200 3.200 0 100-6.400 3.200 3.200 0 000 6.400zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.200 2.200M16.200 16.200l2.200 2.200M5.600 18.400l2.200-2.200M16.200 7.800l2.200-2.200',
  search: 'M11 18a7 7 0 100-14 7 7 0 000 14zM20 20l-4-4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun: 'M12 16a4 4 0 100-8 4 4 0 000 8zM12 2.500V5M12 19v2.500M2.500 12H5M19 12h2.500M5.300 5.300L7 7M17 17l1.700 1.700M5.300 18.700L7 17M17 7l1.700-1.700',
  moon: 'M20 14.500A8.500 8.500 0 019.500 4a8.500 8.500 0 1010.500 10.500z',
  auto: 'M12 3.500a8.500 8.500 0 100 17zM12 3.500a8.500 8.500 0 010 17',
  play: 'M7 4.500v15l12-7.500z',
  pause: 'M8 5v14M16 5v14',
  stream: 'M3 7c3-3 6-3 9 0s6 3 9 0M3 12c3-3 6-3 9 0s6 3 9 0M3 17c3-3 6-3 9 0s6 3 9 0',
  download: 'M12 4v12M7 11l5 5 5-5M4 16v4h16v-4',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  refresh: 'M20 11a8 8 0 10-2.500 6.500M20 5v6h-6',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  link: 'M10 14a4 4 0 005.700 0l3.500-3.500a4 4 0 00-5.700-5.700L12 6.300M14 10a4 4 0 00-5.700 0l-3.500 3.500a4 4 0 005.700 5.700l1.500-1.500',
  right: 'M9 5l7 7-7 7',
  left: 'M15 5l-7 7 7 7',
  folder: 'M3 6h6l2 2.500h10V19H3z',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  warn: 'M12 4L2.500 20h19zM12 10v4.500M12 17.300v.01',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 14.800a2.800 2.800 0 100-5.600 2.800 2.800 0 000 5.600z',
  out: 'M14 4h6v16h-6M4 12h11M11 8l4 4-4 4',
  edit: 'M4 20l1-4.500L16 4.500l3.500 3.500L8.500 19z',
  help: 'M9 9a3 3 0 116 .5c0 2-3 2.300-3 4.500M12 17.500v.01M12 21.500a9.500 9.500 0 100-19 9.500 9.500 0 000 19z',
};

export type IconName = keyof typeof kPaths;

export function Icon({ name }: { name: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={kPaths[name] ?? ''} />
    </svg>
  );
}

// A table with its leaf half open.
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" fill="none" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path d="M5 11h22M9 11v13M23 11v13M16 11v9M16 20l-7 4M16 20l7 4" stroke="var(--on-accent)" strokeWidth="2.2" />
    </svg>
  );
}
