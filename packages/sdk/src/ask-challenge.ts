/** Gets the message that a wallet signs for an action, and checks that it is about that action only. */
import { chainOfAddress, operationList, readActionMessage } from '@market/contract';
import { hostOf, isSameWallet } from './check-refusal.ts';
import { composeRequest } from './compose-request.ts';
import type { Identity } from './identity.ts';
import { MarketApiError } from './market-api-error.ts';
import type { AskChallenge } from './signed-subject.ts';
import { sendWithRetries, type TransportOptions } from './transport.ts';

export function createAskChallenge(transport: TransportOptions, { accessToken }: Identity): AskChallenge {
  const operation = operationList.find(({ name }) => name === 'auth.challenge');
  const identity = accessToken === undefined ? {} : { accessToken };
  return async (signer, { action, agentId }) => {
    if (operation === undefined) throw new Error('The contract has no auth.challenge.');
    const chain = signer.chain ?? chainOfAddress(signer.address);
    const args = { action, wallet: signer.address, ...(chain && { chain }), ...(agentId !== undefined && { agent_id: agentId }) };
    const answer = await sendWithRetries(transport, composeRequest(operation, args, identity), async () => ({ headers: {} }));
    const { message: text } = (answer['data'] ?? {}) as { readonly message?: unknown };
    const message = typeof text === 'string' ? readActionMessage(text) : undefined;
    const account = accountOf(accessToken);
    const isAsked =
      message?.action === action &&
      message.agentId === agentId &&
      (account === undefined || message.account === undefined || message.account === account) &&
      isSameWallet(message.wallet, signer.address) &&
      hostOf(message.origin) === new URL(transport.baseUrl).host;
    if (isAsked) return text as string;
    throw new MarketApiError({
      status: 0,
      code: 'unexpected_answer',
      message: `The service asked the wallet to sign another text than the one for ${action} at ${transport.baseUrl}. Nothing was signed.`,
    });
  };
}

/** The account of a sign-in token; undefined for an opaque token. */
function accountOf(token: string | undefined): string | undefined {
  try {
    const [, payload = ''] = token?.split('.') ?? [];
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const { sub } = claims as { readonly sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}
