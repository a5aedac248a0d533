// Builds and signs transactions with one key as payer and only signer, as the faucet needs them.

import { addressBytes } from './base58.ts';
import type { Keypair } from './keypair.ts';

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly { readonly address: string; readonly isWritable: boolean }[];
  readonly data: Uint8Array;
}

export function composeTransaction(payer: Keypair, blockhash: string, instructions: readonly Instruction[]): Uint8Array {
  const { addresses, readonlyCount } = orderAddresses(payer.address, instructions);
  const indexOf = (address: string) => addresses.indexOf(address);
  const message = Buffer.concat([
    Buffer.of(1, 0, readonlyCount, addresses.length),
    ...addresses.map(addressBytes),
    addressBytes(blockhash),
    Buffer.of(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Buffer.of(indexOf(program), accounts.length, ...accounts.map(({ address }) => indexOf(address)), data.length),
      data,
    ]),
  ]);
  return Buffer.concat([Buffer.of(1), payer.sign(message), message]);
}

/** Sorts addresses as the message header requires: payer, writable, read-only. All counts fit into one byte. */
function orderAddresses(payer: string, instructions: readonly Instruction[]): { addresses: string[]; readonlyCount: number } {
  const used = instructions.flatMap(({ accounts }) => accounts);
  const writable = new Set([payer, ...used.filter((account) => account.isWritable).map((account) => account.address)]);
  const mentioned = new Set([...used.map((account) => account.address), ...instructions.map(({ program }) => program)]);
  const others = [...mentioned].filter((address) => !writable.has(address));
  return { addresses: [...writable, ...others], readonlyCount: others.length };
}
