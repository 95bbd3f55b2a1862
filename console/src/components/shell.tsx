// The frame of every page: rail, top bar, palette, keyboard help.

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { isRemote, useSession } from '../api/session';
import { navigate, useHashPath } from '../lib/location';
import { type Theme, readTheme, setTheme } from '../lib/theme';
import { Button } from './controls';
import { toast, toastError } from './feedback';
import { Icon, Mark } from './icons';
import { KeyboardHelp } from './keyboard_help';
import { Overlay } from './overlay';
import { Palette } from './palette';

export interface NavEntry {
  path: string;
  title: string;
  icon: string;
  system?: string[]; // shown when one of these systems is served
}

export const kNav: { title: string; entries: NavEntry[] }[] = [
  {
    title: 'Data',
    entries: [
      { path: '/', title: 'Home', icon: 'home' },
      { path: '/tables', title: 'Tables', icon: 'table' },
      { path: '/items', title: 'Items', icon: 'items' },
      { path: '/collections', title: 'Item collections', icon: 'collections' },
      { path: '/stream', title: 'Stream tail', icon: 'stream' },
    ],
  },
  {
    title: 'Model',
    entries: [
      { path: '/patterns', title: 'Access patterns', icon: 'pattern' },
      { path: '/model', title: 'Model', icon: 'model' },
      { path: '/api', title: 'API', icon: 'api' },
    ],
  },
  {
    title: 'Systems',
    entries: [
      { path: '/systems/moderation', title: 'Moderation', icon: 'shield', system: ['moderation'] },
      { path: '/systems/credits', title: 'Credits', icon: 'coins', system: ['membership'] },
      { path: '/systems/jobs', title: 'Generation jobs', icon: 'spark', system: ['figureforge', 'gallery'] },
      { path: '/systems/orders', title: 'Orders', icon: 'cart', system: ['gallery'] },
      { path: '/systems/users', title: 'Users', icon: 'users', system: ['gallery'] },
      { path: '/systems/stories', title: 'Stories', icon: 'story', system: ['stories'] },
    ],
  },
  {
    title: 'Operate',
    entries: [
      { path: '/metrics', title: 'Metrics', icon: 'chart' },
      { path: '/requests', title: 'Requests', icon: 'requests' },
      { path: '/objects', title: 'Objects', icon: 'objects' },
      { path: '/admin', title: 'Admin', icon: 'admin' },
    ],
  },
];

export function useNav() {
  const { session } = useSession();
  return kNav
    .map(({ title, entries }) => ({ title, entries: entries.filter(({ system }) => !system || system.some((name) => session.systems.includes(name))) }))
    .filter(({ entries }) => entries.length > 0);
}

function Rail({ go }: { go?: () => void }) {
  const [path] = useHashPath();
  const { session } = useSession();
  const groups = useNav();
  const isCurrent = (target: string) => (target === '/' ? path === '/' : path === target || path.startsWith(`${target}/`));
  return (
    <aside className="rail" aria-label="Console">
      <Link href="/" className="brand" onClick={go}>
        <Mark />
        <span>
          Gateleg
          <small>{session.instance}</small>
        </span>
      </Link>
      <nav aria-label="Pages">
        {groups.map(({ title, entries }) => (
          <div key={title}>
            <h2>{title}</h2>
            {entries.map((entry) => (
              <Link key={entry.path} href={entry.path} aria-current={isCurrent(entry.path) ? 'page' : undefined} onClick={go}>
                <Icon name={entry.icon} />
                {entry.title}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <footer>
        {session.version && `version ${session.version}`}
        <br />
        signed in as {session.name || 'owner'}
      </footer>
    </aside>
  );
}

const kThemes: Record<Theme, { next: Theme; icon: string }> = {
  system: { next: 'light', icon: 'auto' },
  light: { next: 'dark', icon: 'sun' },
  dark: { next: 'system', icon: 'moon' },
};

function ThemeButton() {
  const [theme, change] = useState(readTheme());
  const { next, icon } = kThemes[theme];
  return (
    <Button
      kind="plain"
      icon={icon}
      aria-label={`Colours: ${theme}. Switch to ${next}`}
      title={`Colours: ${theme}`}
      onClick={() => {
        setTheme(next);
        change(next);
      }}
    />
  );
}

function Environment() {
  const { session, reload } = useSession();
  const remote = isRemote(session);
  const toggle = async () => {
    try {
      await call('/_/api/read-only', { method: 'POST', body: { on: !session.readOnly } });
      await reload();
      toast(session.readOnly ? 'This session may now change data' : 'This session now only reads');
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <>
      <span className={`environment ${remote ? 'remote' : ''}`} title={session.store}>
        <span>{remote ? session.store : 'embedded store'}</span>
      </span>
      <Button size="small" kind={session.readOnly ? '' : 'plain'} onClick={() => void toggle()} title="Whether this session may change data">
        {session.readOnly ? 'Read-only' : 'Read & write'}
      </Button>
    </>
  );
}

export function Shell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<'palette' | 'help' | 'rail' | null>(null);
  const [path] = useHashPath();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const { reload } = useSession();

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest?.('input, textarea, select, [contenteditable], .editor');
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen((now) => (now === 'palette' ? null : 'palette'));
      } else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && event.key === '?') {
        setOpen('help');
      } else if (!typing && event.key === '/' && !document.querySelector('dialog[open]')) {
        event.preventDefault();
        setOpen('palette');
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);

  // A new page is read from its beginning, by eyes and by screen readers.
  useEffect(() => {
    if (first.current) first.current = false;
    else {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
  }, [path]);

  const logOut = async () => {
    try {
      await call('/_/api/logout', { method: 'POST', body: {} });
    } catch (error) {
      toastError(error);
    }
    navigate('/');
    await reload();
  };

  return (
    <div className="shell">
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Rail />
      <div>
        <header className="topbar">
          <Button className="menu" kind="plain" icon="menu" aria-label="Pages" onClick={() => setOpen('rail')} />
          <Button className="find" icon="search" aria-label="Find a table, entity, pattern… Ctrl K" onClick={() => setOpen('palette')}>
            <span>Find a table, entity, pattern…</span>
            <kbd>Ctrl K</kbd>
          </Button>
          <div className="right">
            <Environment />
            <ThemeButton />
            <Button kind="plain" icon="help" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => setOpen('help')} />
            <Button kind="plain" icon="out" aria-label="Log out" title="Log out" onClick={() => void logOut()} />
          </div>
        </header>
        <main id="content" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
      {open === 'palette' && <Palette close={() => setOpen(null)} />}
      {open === 'help' && <KeyboardHelp close={() => setOpen(null)} />}
      {open === 'rail' && (
        <div className="rail-dialog">
          <Overlay title="Pages" kind="drawer" close={() => setOpen(null)}>
            <Rail go={() => setOpen(null)} />
          </Overlay>
        </div>
      )}
    </div>
  );
}
