/** Sign-in-with-x: the fields of its header, and the text a wallet signs: EIP-4361 on EVM, its counterpart on Solana. */
import { MarketError } from '@market/contract';
import { z } from 'zod';

/** Each field is one line of the signed text: a line break inside would let one text be read as two different messages. */
const line = z.string().regex(/^[\x20-\x7e]{1,500}$/, 'must be one line of at most 500 printable ASCII characters');

const signInMessage = z.object({
  domain: line,
  address: line,
  statement: line.optional(),
  uri: line,
  version: z.literal('1'),
  /** CAIP-2. */
  chainId: line,
  type: z.enum(['eip191', 'ed25519']),
  nonce: line,
  issuedAt: line,
  expirationTime: line.optional(),
  notBefore: line.optional(),
  requestId: line.optional(),
  resources: z.array(line).min(1).max(10).optional(),
  signature: z.string(),
});

export type SignInMessage = z.output<typeof signInMessage>;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function parseSignIn(header: string): SignInMessage {
  const parsed = signInMessage.safeParse(decode(header));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const problem = issue === undefined || issue.path.length === 0 ? '' : ` Its field ${issue.path.join('.')} is wrong: ${issue.message}.`;
  throw new MarketError('invalid_signature', {
    message: `SIGN-IN-WITH-X must be a signed sign-in message as JSON in base64.${problem} Sign the challenge in the header PAYMENT-REQUIRED.`,
  });
}

/** Whether the header can be parsed as a sign-in message. */
export function isReadableSignIn(header: string): boolean {
  return typeof decode(header) === 'object';
}

function decode(header: string): unknown {
  if (!BASE64.test(header)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64'))) as unknown;
  } catch {
    return undefined;
  }
}

/** `spelling`: the address as the wallet was asked to sign it. */
export function signInText(message: SignInMessage, spelling: string): string {
  const isSolana = message.type === 'ed25519';
  const { statement, expirationTime, notBefore, requestId, resources } = message;
  return [
    `${message.domain} wants you to sign in with your ${isSolana ? 'Solana' : 'Ethereum'} account:`,
    spelling,
    '',
    // Without a statement, EIP-4361 has one empty line more than the text for Solana.
    ...(statement === undefined ? [] : [statement]),
    ...(statement === undefined && isSolana ? [] : ['']),
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId.slice(message.chainId.indexOf(':') + 1)}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
    ...(expirationTime === undefined ? [] : [`Expiration Time: ${expirationTime}`]),
    ...(notBefore === undefined ? [] : [`Not Before: ${notBefore}`]),
    ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
    ...(resources === undefined ? [] : ['Resources:', ...resources.map((resource) => `- ${resource}`)]),
  ].join('\n');
}
