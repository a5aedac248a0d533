/**
 * A 401 that a wallet signature would resolve contains the text to sign. x402 clients react only to 402: they get one with `auth=siwx` in
 * the URL, and name another network than Base with `chain`.
 */
import { MarketError } from '@market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';

const PARAMETERS = { name: 'auth', value: 'siwx', chain: 'chain' } as const;

/** Adds the challenge to the answer and returns the error to throw. */
export function offerSignIn(signIn: SignInWithX, request: FastifyRequest, reply: FastifyReply, error: unknown): unknown {
  if (!(error instanceof MarketError) || error.kind !== 'unauthenticated' || error.code === 'custody_signature_required') return error;
  const challenge = signIn.challengeAt(request.host, request.url.split('?')[0] ?? '/', chainNamed(request));
  if (challenge === undefined) return error;
  const isAsked = error.code === 'unauthenticated' && wantsChallenge(request.query);
  const refusal = isAsked ? new MarketError('sign_in_required') : error;
  const required = {
    x402Version: 2,
    error: refusal.message,
    resource: { url: challenge.url },
    // Nothing is for sale: only a signature gives access. The entry in `accepts` names the network to sign for.
    accepts: isAsked ? [challenge.requirement] : [],
    extensions: challenge.extension,
  };
  reply.header('PAYMENT-REQUIRED', Buffer.from(JSON.stringify(required)).toString('base64'));
  return refusal;
}

/** The query without these two parameters, which are no arguments of the operation. */
export function withoutSignInParameters(query: unknown): unknown {
  if (!wantsChallenge(query)) return query;
  return Object.fromEntries(Object.entries(query as object).filter(([name]) => name !== PARAMETERS.name && name !== PARAMETERS.chain));
}

/** The chain in the query or in the header, as at payable URLs. */
function chainNamed({ query, headers }: FastifyRequest): string | undefined {
  const named = (query as Record<string, unknown> | undefined)?.[PARAMETERS.chain] ?? headers['x-payment-network'];
  return typeof named === 'string' ? named : undefined;
}

function wantsChallenge(query: unknown): boolean {
  return (query as Record<string, unknown> | undefined)?.[PARAMETERS.name] === PARAMETERS.value;
}
