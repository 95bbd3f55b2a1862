// Light, dark, or as the system prefers; kept in this browser.

export type Theme = 'system' | 'light' | 'dark';

const kKey = 'gateleg-theme';

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(kKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system'; // a browser without storage
  }
}

export function applyTheme(theme: Theme = readTheme()) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function setTheme(theme: Theme) {
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // then it lasts as long as the page
  }
  applyTheme(theme);
}
