/** Checks the text that a refusal asks a wallet to sign: it must be a text of this service for this call. */
import { custodySignedText, readActionMessage, type SignedAction } from '@market/contract';
import type { ComposedRequest } from './compose-request.ts';
import type { SignedSubject } from './signed-subject.ts';

type RefusalData = Readonly<Record<string, unknown>>;

/** The service's placeholder when the call named no wallet. */
const ANY_WALLET = '<wallet>';

export async function isCustodyTextOf(
  { text_to_sign: text, wallet: named, wallet_sig_ts: timestampMs }: RefusalData,
  { host, wallet, request: { method, path, body } }: { host: string; wallet: string; request: ComposedRequest },
): Promise<boolean> {
  if (typeof named !== 'string' || typeof timestampMs !== 'number' || (named !== ANY_WALLET && !isSameWallet(named, wallet))) return false;
  return text === (await custodySignedText({ host, wallet: named, timestampMs, method, path, body }));
}

/** The action of the message in a refusal, if the message is for this site, wallet and call. */
export function subjectAskedFor(
  { message }: RefusalData,
  { host, wallet, actions }: { host: string; wallet: string; actions: readonly SignedAction[] },
): SignedSubject | undefined {
  const asked = typeof message === 'string' ? readActionMessage(message) : undefined;
  if (asked === undefined || !actions.includes(asked.action)) return undefined;
  if (hostOf(asked.origin) !== host || !isSameWallet(asked.wallet, wallet)) return undefined;
  return { action: asked.action, agentId: asked.agentId };
}

export function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** EVM addresses differ in case only by their checksum. */
export function isSameWallet(named: unknown, wallet: string): boolean {
  if (typeof named !== 'string') return false;
  return named === wallet || (wallet.startsWith('0x') && named.toLowerCase() === wallet.toLowerCase());
}
