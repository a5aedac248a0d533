/**
 * A 401 that a wallet signature would cure says what to sign. x402 clients act on 402 only: with `auth=siwx` in the address they get one,
 * with `chain` where they do not sign for Base.
 */
import { MarketError } from '@market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';

const PARAMETERS = { name: 'auth', value: 'siwx', chain: 'chain' } as const;

/** Puts the challenge on the answer and returns the error to throw. */
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
    // Nothing is for sale: only a signature opens this. The entry of a 402 says for which network.
    accepts: isAsked ? [challenge.requirement] : [],
    extensions: challenge.extension,
  };
  reply.header('PAYMENT-REQUIRED', Buffer.from(JSON.stringify(required)).toString('base64'));
  return refusal;
}

/** The query without the two parameters, which are no arguments of the operation. */
export function withoutSignInParameters(query: unknown): unknown {
  if (!wantsChallenge(query)) return query;
  return Object.fromEntries(Object.entries(query as object).filter(([name]) => name !== PARAMETERS.name && name !== PARAMETERS.chain));
}

/** In the query or in the header, as at payable addresses. */
function chainNamed({ query, headers }: FastifyRequest): string | undefined {
  const named = (query as Record<string, unknown> | undefined)?.[PARAMETERS.chain] ?? headers['x-payment-network'];
  return typeof named === 'string' ? named : undefined;
}

function wantsChallenge(query: unknown): boolean {
  return (query as Record<string, unknown> | undefined)?.[PARAMETERS.name] === PARAMETERS.value;
}
