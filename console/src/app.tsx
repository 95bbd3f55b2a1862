// The session first, then the models, then the page that the address names.

import { Component, type ComponentType, type ReactNode, Suspense, lazy, useCallback, useEffect, useMemo, useState } from 'react';
import { Route, Router, Switch } from 'wouter';
import { onSignedOut } from './api/client';
import { type Model, ModelsContext, loadModels } from './api/models';
import { type Session, SessionContext, loadSession } from './api/session';
import { Empty, ErrorNotice, Skeleton, Toasts } from './components/feedback';
import { PageHead } from './components/layout';
import { Shell } from './components/shell';
import { useHashPath } from './lib/location';
import { forgetAll } from './lib/use_load';
import { Home } from './pages/home';
import { LogIn } from './pages/log_in';

const page = (load: () => Promise<Record<string, unknown>>, name: string) =>
  lazy(async () => ({ default: (await load())[name] as ComponentType<{ params: Record<string, string> }> }));

// One line a page; all but the first load when they are opened.
const kRoutes: [string, ComponentType<{ params: Record<string, string> }>][] = [
  ['/', Home],
  ['/tables', page(() => import('./pages/tables'), 'Tables')],
  ['/tables/:table', page(() => import('./pages/table_detail'), 'TableDetail')],
  ['/items', page(() => import('./pages/items'), 'Items')],
  ['/items/:table', page(() => import('./pages/items'), 'Items')],
  ['/collections', page(() => import('./pages/collections'), 'Collections')],
  ['/collections/:table', page(() => import('./pages/collections'), 'Collections')],
  ['/stream', page(() => import('./pages/stream'), 'Stream')],
  ['/stream/:table', page(() => import('./pages/stream'), 'Stream')],
  ['/patterns', page(() => import('./pages/patterns'), 'Patterns')],
  ['/patterns/:system', page(() => import('./pages/patterns'), 'Patterns')],
  ['/patterns/:system/:pattern', page(() => import('./pages/patterns'), 'Patterns')],
  ['/model', page(() => import('./pages/model'), 'ModelPage')],
  ['/model/:system', page(() => import('./pages/model'), 'ModelPage')],
  ['/api', page(() => import('./pages/api_reference'), 'ApiReference')],
  ['/metrics', page(() => import('./pages/metrics'), 'Metrics')],
  ['/requests', page(() => import('./pages/requests'), 'Requests')],
  ['/objects', page(() => import('./pages/objects'), 'Objects')],
  ['/objects/:bucket', page(() => import('./pages/objects'), 'Objects')],
  ['/admin', page(() => import('./pages/admin'), 'Admin')],
  ['/systems/moderation', page(() => import('./pages/moderation'), 'Moderation')],
  ['/systems/credits', page(() => import('./pages/credits'), 'Credits')],
  ['/systems/credits/:user', page(() => import('./pages/credits'), 'Credits')],
  ['/systems/jobs', page(() => import('./pages/generation_jobs'), 'GenerationJobs')],
  ['/systems/orders', page(() => import('./pages/orders'), 'Orders')],
  ['/systems/users', page(() => import('./pages/users'), 'Users')],
  ['/systems/stories', page(() => import('./pages/stories'), 'Stories')],
];

// A page that fails must not take the rail with it.
class Guard extends Component<{ path: string; children: ReactNode }, { error: Error | null; path: string }> {
  override state = { error: null as Error | null, path: this.props.path };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  static getDerivedStateFromProps(props: { path: string }, state: { error: Error | null; path: string }) {
    return props.path === state.path ? null : { error: null, path: props.path };
  }
  override render() {
    if (!this.state.error) return this.props.children;
    return <ErrorNotice error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}

function Pages() {
  const [path] = useHashPath();
  return (
    <Guard path={path}>
      <Suspense fallback={<Skeleton lines={8} />}>
        <Switch>
          {kRoutes.map(([route, component]) => (
            <Route key={route} path={route} component={component as never} />
          ))}
          <Route>
            <PageHead title="No such page" />
            <Empty icon="search" title="There is nothing at this address">
              <p>
                Press <kbd>Ctrl</kbd> <kbd>K</kbd> to find a table, an entity or a pattern, or go <a href="#/">home</a>.
              </p>
            </Empty>
          </Route>
        </Switch>
      </Suspense>
    </Guard>
  );
}

export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [models, setModels] = useState<Model[]>([]);
  const [error, setError] = useState<Error | null>(null);

  const reload = useCallback(async () => {
    try {
      const next = await loadSession();
      setSession(next);
      setError(null);
      if (next.signedIn) setModels(await loadModels());
    } catch (failure) {
      setError(failure as Error);
    }
  }, []);

  useEffect(() => {
    onSignedOut(() => {
      forgetAll();
      setSession((now) => (now ? { ...now, signedIn: false } : now));
    });
    void reload();
  }, [reload]);

  const control = useMemo(() => (session ? { session, reload } : null), [session, reload]);
  if (!control) return <main>{error ? <ErrorNotice error={error} retry={() => void reload()} /> : <Skeleton />}</main>;
  return (
    <SessionContext.Provider value={control}>
      <ModelsContext.Provider value={models}>
        <Router hook={useHashPath as never} hrefs={useHashPath.hrefs}>
          {control.session.signedIn ? (
            <Shell>
              {error && <ErrorNotice error={error} retry={() => void reload()} />}
              <Pages />
            </Shell>
          ) : (
            <LogIn />
          )}
        </Router>
        <Toasts />
      </ModelsContext.Provider>
    </SessionContext.Provider>
  );
}
