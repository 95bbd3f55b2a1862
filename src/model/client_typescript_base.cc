#include "model/client_base.h"

namespace gateleg::model {

const std::string_view kTypeScriptNames =
    "JsonValue JsonObject Page Changed Count ErrorDetail ApiError TransportCode Outcome Call Fetch "
    "FetchReply FetchRequest AbortFlag ClientOptions CallOptions Request AsyncGenerator Promise "
    "PromiseLike Record Pick Error String Number JSON Math Date Symbol Object Array Map Set";

const std::string_view kTypeScriptBase = R"BASE(
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };
export type JsonObject = { [name: string]: JsonValue };

/** A page of a list; `cursor` leads to the next one and is null on the last. `partial`: it is short because filters threw much away. */
export interface Page<T> {
  items: T[];
  cursor: string | null;
  partial?: true;
}
/** `changed` is false when there was nothing to do. */
export interface Changed {
  changed: boolean;
}
export interface Count {
  count: number;
}
export interface ErrorDetail {
  field: string;
  message: string;
}

/** NetworkError: nobody answered. BadAnswer: what answered is not this service. */
export type TransportCode = 'NetworkError' | 'BadAnswer';

export class ApiError<Code extends string = string> extends Error {
  readonly status: number;
  readonly code: Code;
  readonly requestId: string;
  readonly field: string | undefined;
  readonly details: ErrorDetail[];

  constructor(status: number, code: Code, message: string, requestId = '', field?: string, details: ErrorDetail[] = []) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.field = field;
    this.details = details;
  }
}

export type Outcome<T, Code extends string> = { ok: true; value: T } | { ok: false; error: ApiError<Code | TransportCode> };

/** A request under way: await it for the answer or an exception, or await result() for either as a value. */
export class Call<T, Code extends string> implements PromiseLike<T> {
  readonly #answer: Promise<T>;

  constructor(answer: Promise<T>) {
    this.#answer = answer;
  }
  then<A = T, B = never>(done?: ((value: T) => A | PromiseLike<A>) | null, failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.#answer.then(done, failed);
  }
  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#answer.catch(failed);
  }
  async result(): Promise<Outcome<T, Code>> {
    try {
      return { ok: true, value: await this.#answer };
    } catch (error) {
      if (error instanceof ApiError) return { ok: false, error };
      throw error;
    }
  }
}

export interface AbortFlag {
  readonly aborted: boolean;
}
export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortFlag;
}
export interface FetchReply {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchReply>;

export interface ClientOptions {
  /** Where the service is: http://127.0.0.1:8080 */
  baseUrl: string;
  /** Bearer token, or what gives one for each request. */
  token?: string | (() => string | Promise<string>);
  /** The global fetch, if not given. */
  fetch?: Fetch;
  headers?: Record<string, string>;
  /** How often a read, or a write with an idempotency key, is repeated after a failure; 3 if not given. */
  retries?: number;
}
export interface CallOptions {
  /** Made for every call that takes one, and kept when the call is repeated; give your own to repeat it later. */
  idempotencyKey?: string;
  /** The version the item must still have. */
  ifMatch?: number | string;
  signal?: AbortFlag;
}

interface Request {
  method: string;
  path: string;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  keyed?: boolean;
  any?: boolean;
}
interface Globals {
  fetch: Fetch;
  setTimeout(action: () => void, milliseconds: number): unknown;
  crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
  encodeURIComponent(text: string): string;
}
const globals = globalThis as unknown as Globals;

function newKey(): string {
  return Array.from(globals.crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pause(attempt: number, retryAfter: string | null): Promise<void> {
  const asked = retryAfter === null ? 0 : Number(retryAfter) * 1000;
  const backoff = Math.min(100 * 2 ** attempt, 2000) * (0.5 + Math.random() / 2);
  const wait = Math.max(backoff, Number.isFinite(asked) ? Math.min(asked, 30_000) : 0);
  return new Promise((resolve) => globals.setTimeout(resolve, wait));
}

function segment(name: string, value: unknown): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new ApiError(400, 'ValidationFailed', `${name} cannot be part of a path`, '', name);
  }
  return globals.encodeURIComponent(text);
}

function urlOf(options: ClientOptions, request: Request): string {
  const query = Object.entries(request.query ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${globals.encodeURIComponent(name)}=${globals.encodeURIComponent(text)}`;
    })
    .join('&');
  return options.baseUrl.replace(/\/+$/, '') + request.path + (query === '' ? '' : `?${query}`);
}

async function headersOf(options: ClientOptions, request: Request, call: CallOptions, key: string | undefined): Promise<Record<string, string>> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (key !== undefined) headers['idempotency-key'] = key;
  if (call.ifMatch !== undefined) {
    headers['if-match'] = typeof call.ifMatch === 'number' ? `"${call.ifMatch}"` : call.ifMatch;
  }
  return headers;
}

function read<T>(request: Request, status: number, text: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // What C++ answers with may be a text.
    if (request.any === true && status >= 200 && status < 300) return text as T;
    throw new ApiError(status, 'BadAnswer', `the answer (status ${status}) is no JSON`);
  }
  if (status >= 200 && status < 300) return json as T;
  const error = (json as { error?: { code?: string; message?: string; requestId?: string; field?: string; details?: ErrorDetail[] } } | null)?.error;
  if (typeof error?.code !== 'string') throw new ApiError(status, 'BadAnswer', `the answer (status ${status}) names no error`);
  throw new ApiError(status, error.code, error.message ?? error.code, error.requestId, error.field, error.details);
}

async function send<T>(options: ClientOptions, request: Request, call: CallOptions): Promise<T> {
  const key = request.keyed === true ? (call.idempotencyKey ?? newKey()) : undefined;
  const attempts = request.method === 'GET' || key !== undefined ? 1 + (options.retries ?? 3) : 1;
  const url = urlOf(options, request);
  const fetch = options.fetch ?? globals.fetch;
  for (let attempt = 1; ; attempt += 1) {
    const init: FetchRequest = { method: request.method, headers: await headersOf(options, request, call, key) };
    if (request.body !== undefined) init.body = JSON.stringify(request.body);
    if (call.signal !== undefined) init.signal = call.signal;
    let status = 0;
    let text = '';
    let retryAfter: string | null = null;
    try {
      const reply = await fetch(url, init);
      status = reply.status;
      retryAfter = reply.headers.get('retry-after');
      text = await reply.text();
    } catch (cause) {
      if (attempt >= attempts || call.signal?.aborted === true) {
        throw new ApiError(0, 'NetworkError', `no answer: ${cause instanceof Error ? cause.message : String(cause)}`);
      }
      await pause(attempt, null);
      continue;
    }
    if (attempt >= attempts || ![429, 502, 503, 504].includes(status)) return read<T>(request, status, text);
    await pause(attempt, retryAfter);
  }
}

async function* pages<T>(page: (cursor: string | undefined) => PromiseLike<Page<T>>): AsyncGenerator<T, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const { items, cursor: next }: Page<T> = await page(cursor ?? undefined);
    yield* items;
    cursor = next;
  } while (cursor !== null);
}
// A model without paths or lists has no use for these.
void [segment, pages];
)BASE";

}  // namespace gateleg::model
