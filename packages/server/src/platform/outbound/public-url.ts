/**
 * Decides whether a user-supplied URL may be called from inside our network. A later connection must use one of the addresses returned
 * here, or check again, because DNS may answer differently then.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './address-guard.ts';

const MAX_URL_LENGTH = 2048;
const RESOLVE_TIMEOUT_MS = 3000;
const RESOLVE_TRY_MS = 1000;
const HTTPS_PORTS: ReadonlySet<number> = new Set([443, 8443]);

/** Names that no public DNS serves: special-use domains, and those that private networks commonly use. */
const PRIVATE_SUFFIXES = new Set(
  'alt arpa corp example home internal intranet invalid lan local localdomain localhost onion private test'.split(' '),
);

export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface PublicUrlOptions {
  /** Development only: hosts (`127.0.0.1`, `localhost:9000`) that may be called although private, by http and on any port. */
  readonly allowHosts: readonly string[];
  /** Our own hosts, which user-supplied URLs must not reach. Without a port, every port of the host is ours. */
  readonly ownHosts?: readonly string[];
  readonly resolve?: ResolveHost;
  readonly resolveTimeoutMs?: number;
}

const REFUSALS = {
  malformed: 'This is not a URL of at most 2048 characters. Use a form like https://example.com/hook.',
  not_https: 'The URL must start with https://.',
  credentials: 'The URL must not contain a user name or password.',
  fragment: 'The URL must not contain a # part: it would never reach the host.',
  port: 'The URL must use port 443 or 8443.',
  own_host: 'The URL points at this service itself. Use an address of your own.',
  private: 'The URL points at a private or reserved address. Use a host that is reachable on the public internet.',
  unresolved: 'The host name of the URL cannot be resolved. Check its DNS records.',
} as const;

type UrlRefusal = keyof typeof REFUSALS;

export type PublicUrlCheck =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly reason: UrlRefusal; readonly message: string };

export async function checkPublicUrl(url: string, options: PublicUrlOptions): Promise<PublicUrlCheck> {
  const parsed = parseUrl(url);
  if (parsed === undefined) return refuse('malformed');
  const allowed = isListed(parsed, options.allowHosts);
  const fault = findFault(parsed, allowed);
  if (fault !== undefined) return refuse(fault);

  const host = bareHost(parsed);
  if (!isWellFormedHost(host)) return refuse('malformed');
  if (isListed(parsed, options.ownHosts ?? [])) return refuse('own_host');
  if (!allowed && isPrivateName(host)) return refuse('private');

  const addresses =
    isIP(host) === 0 ? await resolveWithin(host, options.resolve ?? (allowed ? resolveBySystem : resolveByDns), options) : [host];
  if (addresses.length === 0) return refuse('unresolved');
  if (!allowed && !addresses.every(isPublicAddress)) return refuse('private');
  return { ok: true, addresses };
}

/** For URLs that only browsers load: judges the host as a browser reads it, under any scheme, without asking DNS. */
export function pointsAtPrivateHost(url: string, { allowHosts }: Pick<PublicUrlOptions, 'allowHosts'>): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return true;
  if (isListed(parsed, allowHosts)) return false;
  const host = bareHost(parsed);
  return !isWellFormedHost(host) || isPrivateName(host) || (isIP(host) !== 0 && !isPublicAddress(host));
}

function refuse(reason: UrlRefusal): PublicUrlCheck {
  return { ok: false, reason, message: REFUSALS[reason] };
}

/** The WHATWG parser silently drops tabs, line breaks and outer spaces, so a URL that contains them is refused as suspicious. */
function parseUrl(url: string): URL | undefined {
  if (url.length > MAX_URL_LENGTH || /[\s\p{Cc}]/u.test(url)) return undefined;
  return URL.parse(url) ?? undefined;
}

function findFault(url: URL, allowed: boolean): UrlRefusal | undefined {
  if (url.protocol !== 'https:' && !(allowed && url.protocol === 'http:')) return 'not_https';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (url.href.includes('#')) return 'fragment';
  if (!allowed && !HTTPS_PORTS.has(effectivePort(url))) return 'port';
  return undefined;
}

/** The host without IPv6 brackets and without the dot that makes a name absolute. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function effectivePort(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}

/** The parser has already turned every numeric spelling of IPv4 into dotted form, so only an address or a DNS name remains. */
function isWellFormedHost(host: string): boolean {
  return isIP(host) !== 0 || (host.length <= 253 && host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label)));
}

function isPrivateName(host: string): boolean {
  if (isIP(host) !== 0) return false;
  const labels = host.split('.');
  return labels.length === 1 || PRIVATE_SUFFIXES.has(labels.at(-1) ?? '');
}

function isListed(url: URL, hosts: readonly string[]): boolean {
  const host = bareHost(url);
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  const spellings = [host, bracketed, `${bracketed}:${effectivePort(url)}`];
  return hosts.some((entry) => spellings.includes(entry.toLowerCase()));
}

/** A name that does not resolve, or not in time, has no address. */
async function resolveWithin(
  host: string,
  resolve: ResolveHost,
  { resolveTimeoutMs = RESOLVE_TIMEOUT_MS }: PublicUrlOptions,
): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((settle) => {
    timer = setTimeout(settle, resolveTimeoutMs, []);
  });
  try {
    return await Promise.race([resolve(host).catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The system's lookup also reads the machine's own files, for names on the allow list. */
async function resolveBySystem(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
}

/**
 * Asks the name servers directly, because the system's lookup occupies one of four threads of the whole process. A few names with silent
 * servers would block them all. It skips search domains and the machine's own files, which is safer.
 */
async function resolveByDns(host: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_TRY_MS, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return [...(four.status === 'fulfilled' ? four.value : []), ...(six.status === 'fulfilled' ? six.value : [])];
}
