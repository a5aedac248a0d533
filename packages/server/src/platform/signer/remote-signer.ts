/** The client of the signer: one request per signature. After any error, nothing was sent to a chain. */
import { randomUUID } from 'node:crypto';
import type { NetworkName } from '@market/contract';
import { ChainUnavailable, type SignedTransfer, TransferRefused } from '../chains/chain.ts';
import { OutflowHeld } from './outflow-limits.ts';
import {
  isSameMac,
  MAC_HEADER,
  macOfAnswer,
  macOfRequest,
  SIGN_PATH,
  type SignAnswer,
  type SignRequest,
  signAnswer,
} from './signer-channel.ts';

export interface RemoteSignerOptions {
  readonly url: string;
  readonly secret: string;
}

interface Intent {
  readonly id: string;
  readonly network: NetworkName;
}

const PATIENCE_MS = 30_000;

export function createRemoteSigner(options: RemoteSignerOptions, kind: SignRequest['kind'] = 'payout') {
  return {
    async sign(intent: Intent): Promise<SignedTransfer> {
      const signed = readAnswer(intent, await ask(options, intent, { kind, replace: false }));
      if (signed === undefined) throw new ChainUnavailable(intent.network, 'the signer answered without a signature');
      return signed;
    },
    replace: async (intent: Intent): Promise<SignedTransfer | undefined> =>
      readAnswer(intent, await ask(options, intent, { kind, replace: true })),
  };
}

async function ask(
  { url, secret }: RemoteSignerOptions,
  { id, network }: Intent,
  wish: Pick<SignRequest, 'kind' | 'replace'>,
): Promise<SignAnswer> {
  const request: SignRequest = { intent_id: id, ...wish, nonce: randomUUID(), sent_at: Date.now() };
  const body = JSON.stringify(request);
  const mac = macOfRequest(secret, body);
  try {
    const response = await fetch(`${url}${SIGN_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [MAC_HEADER]: mac },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (!isSameMac(macOfAnswer(secret, mac, text), response.headers.get(MAC_HEADER) ?? ''))
      throw new Error(`the answer (${response.status}) does not prove that it comes from the signer; compare SIGNER_SECRET on both sides`);
    return signAnswer.parse(JSON.parse(text));
  } catch (error) {
    throw new ChainUnavailable(network, `the signer gave no answer: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function readAnswer({ network }: Intent, answer: SignAnswer): SignedTransfer | undefined {
  switch (answer.kind) {
    case 'signed':
      return { reference: answer.reference, bytes: answer.bytes, validity: answer.validity, rentLamports: BigInt(answer.rent_lamports) };
    case 'nothing':
      return undefined;
    case 'refused':
      throw new TransferRefused(answer.reason, answer.message);
    case 'held':
      throw new OutflowHeld(answer.message);
    case 'unavailable':
      throw new ChainUnavailable(network, answer.message);
  }
}
