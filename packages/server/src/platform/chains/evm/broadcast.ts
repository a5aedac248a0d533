/** Sends signed bytes to the node. The node's answer never decides the outcome; only the chain does. */
import type { Hex } from 'viem';
import { ChainUnavailable, type SignedTransfer, TransferRefused } from '../chain.ts';
import { RpcError } from '../json-rpc.ts';
import { sendRawTransaction } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';

/** The node already has these bytes, or their account nonce is used, perhaps by these very bytes. */
const NOTHING_MORE_TO_DO = /already known|known transaction|already imported|already exists|already in|nonce (?:is )?too low|old nonce/i;
/** Bytes with these errors can never become valid. */
const NEVER_VALID =
  /invalid sender|invalid signature|invalid chain ?id|intrinsic gas too low|exceeds block gas limit|\brlp\b|transaction type not supported/i;

export async function broadcast(context: EvmContext, { reference, bytes }: SignedTransfer): Promise<void> {
  try {
    const hash = await sendRawTransaction(context, decodeBytes(bytes));
    if (hash !== reference) throw new ChainUnavailable(context.network, `the node took ${reference} for ${hash}`);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (NOTHING_MORE_TO_DO.test(error.message)) return;
    if (NEVER_VALID.test(error.message))
      throw new TransferRefused('other', `${context.network} never takes ${reference}: ${error.message}`, error);
    throw new ChainUnavailable(context.network, `the node did not take ${reference}: ${error.message}`, error);
  }
}

export function decodeBytes(bytes: string): Hex {
  return `0x${Buffer.from(bytes, 'base64').toString('hex')}`;
}
