// The storage adapter for oidc-provider. It keeps only codes and grants, in memory; any app is a client.

import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { createAuthorizationCodes } from './authorization-codes.ts';

const PRINTABLE = /^[\x20-\x7e]{1,300}$/;

const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

export function createLibraryStorage(now: () => Date, redirectOrigins: readonly string[]): AdapterFactory {
  const apps: Adapter = {
    ...nothing,
    find: async (id) => (PRINTABLE.test(id) ? { client_id: id, redirect_uris: [...redirectOrigins] } : undefined),
  };
  const kept: Readonly<Record<string, Adapter>> = { Client: apps, AuthorizationCode: keepBriefly(now), Grant: keepBriefly(now) };
  return (kind) => kept[kind] ?? nothing;
}

/** Drops the library's times, because our clock decides expiry, not the machine's clock. */
function keepBriefly(now: () => Date): Adapter {
  const waiting = createAuthorizationCodes<AdapterPayload>(now);
  return {
    ...nothing,
    upsert: async (id, { exp: _exp, iat: _iat, ...payload }) => waiting.keep(id, payload),
    find: async (id) => waiting.take(id),
  };
}
