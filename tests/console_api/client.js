// The console's side of the conversation: a cookie, a CSRF token, and requests with any header.

import http from 'node:http';

// Resolves to {status, headers, body (Buffer), text, json}. `headers` may replace Host.
export function request(base, path, { method = 'GET', headers = {}, body } = {}) {
  const url = new URL(base);
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const call = http.request(
      { host: url.hostname, port: url.port, path, method, headers: { ...type, ...headers }, agent: false },
      (reply) => {
        const chunks = [];
        reply.on('data', (chunk) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          let json;
          try {
            json = JSON.parse(text);
          } catch {
            json = undefined;
          }
          resolve({ status: reply.statusCode, headers: reply.headers, body: bytes, text, json });
        });
      },
    );
    call.on('error', reject);
    if (payload !== undefined) call.write(payload);
    call.end();
  });
}

// Waits for the line behind the ready line.
export async function linkOf(server) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = /^console: (\S+)$/m.exec(server.output);
    if (found) return new URL(found[1]);
    await new Promise((wake) => {
      setTimeout(wake, 50);
    });
  }
  throw new Error(`no link in ${server.output}`);
}

export class Console {
  constructor(base, cookie) {
    this.base = base;
    this.cookie = cookie;
    this.csrf = '';
  }

  // By the link that the server printed.
  static async signIn(server) {
    const link = await linkOf(server);
    const reply = await request(server.httpUrl, link.pathname + link.search);
    return Console.withReply(server.httpUrl, reply);
  }

  static async withReply(base, reply) {
    const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0];
    if (!cookie) throw new Error(`no cookie: ${reply.status} ${reply.text}`);
    const console = new Console(base, cookie);
    console.session = (await console.get('/_/api/session')).json;
    console.csrf = console.session.csrf;
    return console;
  }

  get(path, headers = {}) {
    return request(this.base, path, { headers: { cookie: this.cookie, ...headers } });
  }

  send(method, path, body, headers = {}) {
    return request(this.base, path, {
      method,
      body,
      headers: { cookie: this.cookie, 'x-gateleg-csrf': this.csrf, ...headers },
    });
  }

  post(path, body, headers) {
    return this.send('POST', path, body, headers);
  }

  dynamodb(operation, body) {
    return this.post('/_/api/dynamodb', body, { 'x-amz-target': `DynamoDB_20120810.${operation}` });
  }
}
