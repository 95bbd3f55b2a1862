// For those without a session: the link that the server printed, or an administrator's account.

import { useState } from 'react';
import { call } from '../api/client';
import { useSession } from '../api/session';
import { Code } from '../components/code';
import { Button, Field, Select, Text } from '../components/controls';
import { ErrorNotice } from '../components/feedback';
import { Mark } from '../components/icons';

export function LogIn() {
  const { session, reload } = useSession();
  const [system, setSystem] = useState('gallery');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      await call('/_/api/login', { method: 'POST', body: { system, email, password } });
      await reload();
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="log-in">
      <div className="stack wide">
        <div className="brand">
          <Mark />
          <span>Gateleg</span>
        </div>
        <div className="stack tight">
          <h1>Open the console</h1>
          <p className="quiet">
            The server printed a link when it started, beginning with <code>console:</code>. It works once. For a new one, on the server’s machine:
          </p>
          <Code text="gateleg console --data gateleg-data" label="command for a new link" />
        </div>
        <form
          className="card"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <header>
            <h2>Or sign in as an administrator</h2>
          </header>
          <div className="body">
            <Field label="System">
              <Select value={system} change={setSystem} options={['gallery', 'figureforge']} />
            </Field>
            <Field label="Email">
              <Text type="email" autoComplete="username" required value={email} change={setEmail} />
            </Field>
            <Field label="Password">
              <Text type="password" autoComplete="current-password" required value={password} change={setPassword} />
            </Field>
            {error && <ErrorNotice error={error} />}
            <div className="row end">
              <Button kind="primary" type="submit" disabled={busy}>
                Sign in
              </Button>
            </div>
          </div>
        </form>
        {session.version && <p className="quiet small">version {session.version}</p>}
      </div>
    </main>
  );
}
