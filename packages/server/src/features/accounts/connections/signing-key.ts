/** The ES256 key that signs access tokens. It is sealed in the database, one per deployment; the first process that needs it makes it. */
import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { Database } from '../../../platform/db/database.ts';
import type { SealedColumn } from '../../../platform/secrets/reseal.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { findSigningKey, insertSigningKey, lockSigningKey } from './oauth-repository.ts';

export interface SigningKey {
  readonly id: string;
  readonly privateJwk: JsonWebKey;
  readonly publicJwk: JsonWebKey;
}

export async function openSigningKey({ database, secrets }: { database: Database; secrets: SecretBox }): Promise<SigningKey> {
  const stored = (await findSigningKey(database.db)) ?? (await makeOnce(database, secrets));
  const privateJwk = JSON.parse(secrets.open(stored.sealedKey, sealedFor(stored.id))) as JsonWebKey;
  const { d: _secret, ...publicJwk } = privateJwk;
  return { id: stored.id, privateJwk, publicJwk };
}

async function makeOnce({ transaction }: Database, secrets: SecretBox): Promise<{ readonly id: string; readonly sealedKey: string }> {
  return await transaction(async (tx) => {
    await lockSigningKey(tx);
    const other = await findSigningKey(tx);
    if (other !== undefined) return other;
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const id = thumbprint(jwk);
    const made = { id, sealedKey: secrets.seal(JSON.stringify({ ...jwk, kid: id, alg: 'ES256', use: 'sig' }), sealedFor(id)) };
    await insertSigningKey(tx, made.id, made.sealedKey);
    return made;
  });
}

/** JWK thumbprint (RFC 7638). */
function thumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function sealedFor(id: string): string {
  return `oauth_signing_keys/${id}`;
}

export const sealedSigningKeys: SealedColumn = {
  table: 'oauth_signing_keys',
  keys: ['id'],
  column: 'sealed_key',
  contextOf: ({ id = '' }) => sealedFor(id),
};
