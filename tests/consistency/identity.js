// Tokens for the systems API, signed with a secret of these tests.

import { createHmac } from 'node:crypto';

const kSecret = 'a secret that only this test knows, 32+ bytes';
export const kSystemsEnv = { GATELEG_JWT_SECRET: kSecret };

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export function token(sub, roles) {
  const claims = { sub, roles, exp: Math.floor(Date.now() / 1000) + 36_000 };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', kSecret).update(signed).digest('base64url')}`;
}
