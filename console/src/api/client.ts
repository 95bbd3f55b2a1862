// Calls to this server. Everything goes through `call`: the session's CSRF value, errors in words, one place for 401.

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly details: unknown = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

let csrf = '';
let signedOut: () => void = () => {};

export function setCsrf(value: string) {
  csrf = value;
}

export function onSignedOut(handler: () => void) {
  signedOut = handler;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  body: unknown;
  headers: Headers;
  ms: number;
}

// The bare exchange, also for pages that show a refusal as it is.
export async function exchange(path: string, { method = 'GET', body, headers = {}, signal }: CallOptions = {}): Promise<Answer> {
  const started = performance.now();
  const sent: Record<string, string> = { ...headers };
  if (body !== undefined) sent['content-type'] ??= 'application/json';
  // On reads too: it says that the console asks, also where the browser has a cookie of a system.
  if (csrf) sent['x-gateleg-csrf'] = csrf;
  let reply: Response;
  try {
    reply = await fetch(path, { method, headers: sent, body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body), signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'Unreachable', 'The server does not answer. Is it still running?');
  }
  const text = await reply.text();
  let parsed: unknown = null;
  try {
    parsed = text === '' ? null : JSON.parse(text);
  } catch {
    // not JSON: callers have the text
  }
  return { status: reply.status, text, body: parsed, headers: reply.headers, ms: performance.now() - started };
}

export function errorOf({ status, body, text }: Answer): ApiError {
  const data = (body ?? {}) as { error?: { code?: string; message?: string; field?: string; details?: unknown }; __type?: string; message?: string; Message?: string };
  if (data.error) return new ApiError(status, data.error.code ?? 'Error', data.error.message ?? text, data.error.field ?? null, data.error.details ?? null);
  if (data.__type) return new ApiError(status, data.__type.split('#').pop()!, data.message ?? data.Message ?? data.__type, null, data);
  return new ApiError(status, `HTTP ${status}`, text.slice(0, 300) || 'The server answered without a message.');
}

export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const answer = await exchange(path, options);
  if (answer.status >= 400) {
    const error = errorOf(answer);
    if (answer.status === 401 && path.startsWith('/_/') && !path.startsWith('/_/api/login')) signedOut();
    throw error;
  }
  return answer.body as T;
}

// An answer that goes on: its text in pieces, as they come.
export async function* follow(path: string, signal: AbortSignal): AsyncGenerator<string> {
  let reply: Response;
  try {
    reply = await fetch(path, { headers: { accept: 'text/event-stream', ...(csrf ? { 'x-gateleg-csrf': csrf } : {}) }, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, 'Unreachable', 'The server does not answer. Is it still running?');
  }
  if (reply.status !== 200 || !reply.body) {
    const text = await reply.text();
    let body: unknown = null;
    try {
      body = JSON.parse(text);
    } catch {
      // not JSON: the error has the text
    }
    if (reply.status === 401) signedOut();
    throw errorOf({ status: reply.status, text, body, headers: reply.headers, ms: 0 });
  }
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    void reader.cancel().catch(() => {});
  }
}

export function query(path: string, params: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}
