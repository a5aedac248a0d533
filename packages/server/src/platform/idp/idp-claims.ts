/**
 * The claims of an identity-provider token that we trust and can store. Only the subject is required. Other claims that are missing or
 * malformed are dropped, because odd profile data must not lock a person out.
 */
import { z } from 'zod';
import { pointsAtPrivateHost } from '../outbound/public-url.ts';
import { type CanonicalWallet, canonicalWallet } from '../wallets/wallet-address.ts';

const MAX_WALLETS = 20;

export interface IdpIdentity {
  readonly userId: string;
  readonly email?: string | undefined;
  readonly emailVerified: boolean;
  readonly googleEmail?: string | undefined;
  readonly name?: string | undefined;
  /** Lower-case, without @. Handles change hands; `twitterSubject` stays with the person. */
  readonly twitterUsername?: string | undefined;
  readonly twitterSubject?: string | undefined;
  readonly googleSubject?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly wallets: readonly CanonicalWallet[];
  readonly admin: boolean;
}

export interface AdminRule {
  readonly adminEmails: readonly string[];
  /** Sandbox only: the development provider may name administrators itself, by the claim `market_admin`. */
  readonly trustAdminClaim: boolean;
}

/** Control characters, formatting characters and lone surrogates: they deceive readers, and the database refuses some of them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

const subject = z.string().regex(/^[\x21-\x7e]{1,128}$/);
const email = z
  .string()
  .max(254)
  .regex(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u);
const name = z
  .string()
  .transform((value) => Array.from(value.replace(/\s+/g, ' ').replace(INVISIBLE, '').trim()).slice(0, 100).join(''))
  .pipe(z.string().min(1));
const twitterUsername = z
  .string()
  .transform((value) => lowerAscii(value.replace(/^@/, '')))
  .pipe(z.string().regex(/^[a-z0-9_]{1,15}$/));
const avatarUrl = z
  .url({ protocol: /^https$/, normalize: true })
  .max(2048)
  .refine((url) => !pointsAtPrivateHost(url, { allowHosts: [] }));
const walletClaim = z.object({ chain: z.enum(['solana', 'base']), address: z.string() });

const claimsSchema = z.object({
  sub: subject,
  email: email.optional().catch(undefined),
  // Some providers send the flag as text.
  email_verified: z
    .union([z.literal(true), z.literal('true')])
    .transform(() => true)
    .catch(false),
  google_email: email.optional().catch(undefined),
  google_subject: subject.optional().catch(undefined),
  name: name.optional().catch(undefined),
  twitter_username: twitterUsername.optional().catch(undefined),
  twitter_subject: subject.optional().catch(undefined),
  picture: avatarUrl.optional().catch(undefined),
  wallets: z.array(z.unknown()).catch([]),
  market_admin: z.literal(true).optional().catch(undefined),
});

/** Undefined when the token names no usable subject. */
export function readIdpIdentity(claims: unknown, rule: AdminRule): IdpIdentity | undefined {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) return undefined;
  const read = parsed.data;
  const emailVerified = read.email !== undefined && read.email_verified;
  return {
    userId: read.sub,
    email: read.email,
    emailVerified,
    googleEmail: read.google_email,
    name: read.name,
    twitterUsername: read.twitter_username,
    twitterSubject: read.twitter_subject,
    googleSubject: read.google_subject,
    avatarUrl: read.picture,
    wallets: readWallets(read.wallets),
    admin: (emailVerified && isAdminEmail(read.email, rule.adminEmails)) || (rule.trustAdminClaim && read.market_admin === true),
  };
}

function readWallets(claims: readonly unknown[]): CanonicalWallet[] {
  const wallets = new Map<string, CanonicalWallet>();
  for (const claim of claims) {
    if (wallets.size === MAX_WALLETS) break;
    const parsed = walletClaim.safeParse(claim);
    const wallet = parsed.success ? canonicalWallet(parsed.data.address, parsed.data.chain) : undefined;
    if (wallet !== undefined) wallets.set(wallet.address, wallet);
  }
  return [...wallets.values()];
}

function isAdminEmail(email: string | undefined, adminEmails: readonly string[]): boolean {
  return email !== undefined && adminEmails.some((admin) => lowerAscii(admin) === lowerAscii(email));
}

/** Full Unicode lower-casing would make look-alikes equal: the Kelvin sign becomes the letter k. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
