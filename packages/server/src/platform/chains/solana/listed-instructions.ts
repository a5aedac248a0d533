/** The instructions of a landed transaction with their accounts, in the order they ran. */
import { base58 } from '@scure/base';
import { ChainUnavailable } from '../chain.ts';
import type { SolanaTransaction } from './solana-rpc.ts';

export interface ListedInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

export interface ListedInstructions {
  /** Instructions that the signers wrote. */
  readonly outer: readonly ListedInstruction[];
  /** Instructions that programs of the transaction called. */
  readonly inner: readonly ListedInstruction[];
}

/** Every address of the transaction, in the order that instructions index them. */
export function listAccounts({ transaction, meta }: SolanaTransaction): readonly string[] {
  return [...transaction.message.accountKeys, ...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])];
}

export function listInstructions(found: SolanaTransaction): ListedInstructions {
  const named = listAccounts(found);
  const at = (index: number): string => {
    const address = named[index];
    if (address === undefined)
      throw new ChainUnavailable('solana-mainnet', 'the node shows an instruction with accounts that it does not list');
    return address;
  };
  const list = ({ programIdIndex, accounts, data }: SolanaTransaction['transaction']['message']['instructions'][number]) => ({
    program: at(programIdIndex),
    accounts: accounts.map(at),
    data: Buffer.from(base58.decode(data)),
  });
  return {
    outer: found.transaction.message.instructions.map(list),
    inner: (found.meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions.map(list)),
  };
}
