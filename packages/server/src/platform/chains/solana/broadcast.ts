/** Sends signed bytes to a node. Only the outcome decides whether they failed, never this call. */
import { base58 } from '@scure/base';
import { ChainUnavailable, type SignedTransfer, TransferRefused } from '../chain.ts';
import { RpcError } from '../json-rpc.ts';
import type { SolanaRpc } from './solana-rpc.ts';

/** The transfer has landed already, or is too late to land: the outcome shows which. */
const LANDED_OR_LATE = /already (been )?processed|AlreadyProcessed|blockhash ?not ?found/i;

export async function broadcast(rpc: SolanaRpc, { reference, bytes }: SignedTransfer): Promise<void> {
  if (readReference(bytes) !== reference)
    throw new TransferRefused('other', `The stored bytes are not those of ${reference}; they were not sent.`);
  let answered: string;
  try {
    answered = await rpc.send(bytes);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (LANDED_OR_LATE.test(`${error.message} ${JSON.stringify(error.data)}`)) return;
    throw new ChainUnavailable('solana-mainnet', `the node did not take the transaction: ${error.message}`, error);
  }
  if (answered !== reference) throw new ChainUnavailable('solana-mainnet', `the node answered ${reference} with another reference`);
}

/** Reads the one signature, after the byte with their number: our transactions have a single signer. */
function readReference(bytes: string): string {
  return base58.encode(Buffer.from(bytes, 'base64').subarray(1, 65));
}
