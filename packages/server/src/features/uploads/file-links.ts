/**
 * Addresses of files. Browsers open them without credentials, so an address may carry a grant. A grant is a short-lived statement of ours
 * that its holder may see this one file, authenticated by the master key.
 */
import { timingSafeEqual } from 'node:crypto';
import type { UploadId } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';

/** `preview`: the reduced, marked picture instead of the original. */
export type FileLevel = 'full' | 'preview';

export interface FileLinks {
  /** The plain URL, for requests with credentials. */
  urlOf(id: UploadId): string;
  /** A URL that works without credentials for an hour. */
  grantFile(id: UploadId, level: FileLevel): string;
  /** The level of a grant; undefined when it is expired, altered or for another file. */
  readGrant(id: string, grant: string): FileLevel | undefined;
  /** The id of a file of ours; undefined when the address leads anywhere else. */
  idOf(url: string): string | undefined;
}

export interface FileLinksOptions {
  readonly baseUrl: string;
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

export const FILES_PATH = '/files';
const GRANT_SECONDS = 3600;

export function createFileLinks({ baseUrl, secrets, clock }: FileLinksOptions): FileLinks {
  const { origin, pathname } = new URL(`${baseUrl}${FILES_PATH}/`);
  // The keyed hash of the secret box serves as signature; the text differs from anything else that is hashed with it.
  const signaturesOf = (id: string, level: FileLevel, expires: string): Buffer[] =>
    secrets.lookupHashes(`file grant ${id} ${level} ${expires}`);
  const urlOf = (id: string): string => `${origin}${pathname}${id}`;

  return {
    urlOf,
    grantFile(id, level) {
      // Dated by real time like all tokens: moving the sandbox's clock must not revive or end a link.
      const expires = String(Math.floor(clock.realNow().getTime() / 1000) + GRANT_SECONDS);
      const signature = signaturesOf(id, level, expires)[0]?.toString('base64url');
      return `${urlOf(id)}?grant=${level}.${expires}.${signature}`;
    },
    readGrant(id, grant) {
      const [, level, expires = '', signature = ''] = /^(full|preview)\.(\d{1,12})\.([\w-]{43})$/.exec(grant) ?? [];
      if (level !== 'full' && level !== 'preview') return undefined;
      if (Number(expires) * 1000 <= clock.realNow().getTime()) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const isOurs = signaturesOf(id, level, expires).some((wanted) => wanted.length === given.length && timingSafeEqual(wanted, given));
      return isOurs ? level : undefined;
    },
    idOf(url) {
      const parsed = URL.parse(url);
      if (parsed === null || parsed.origin !== origin || !parsed.pathname.startsWith(pathname)) return undefined;
      return parsed.pathname.slice(pathname.length);
    },
  };
}
