// Who is signed in at which instance.

import { createContext, useContext } from 'react';
import { call, setCsrf } from './client';

export interface Session {
  signedIn: boolean;
  version: string;
  name: string;
  csrf: string;
  readOnly: boolean;
  store: string;
  instance: string;
  urls: { dynamodb?: string; http?: string; s3?: string };
  region: string;
  systems: string[];
  testClock: boolean;
}

export async function loadSession(): Promise<Session> {
  const answer = await call<Partial<Session>>('/_/api/session');
  setCsrf(answer.csrf ?? '');
  return {
    signedIn: answer.signedIn === true,
    version: answer.version ?? '',
    name: answer.name ?? '',
    csrf: answer.csrf ?? '',
    readOnly: answer.readOnly === true,
    store: answer.store ?? 'embedded',
    instance: answer.instance ?? location.host,
    urls: answer.urls ?? {},
    region: answer.region ?? 'us-east-1',
    systems: answer.systems ?? [],
    testClock: answer.testClock === true,
  };
}

export interface SessionControl {
  session: Session;
  reload: () => Promise<void>;
}

export const SessionContext = createContext<SessionControl | null>(null);

export function useSession(): SessionControl {
  const control = useContext(SessionContext);
  if (!control) throw new Error('no session');
  return control;
}

export const isRemote = (session: Session) => session.store !== 'embedded';
