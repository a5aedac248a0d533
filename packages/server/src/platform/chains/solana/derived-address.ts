/** Addresses derived from a program and seeds (PDAs). */
import { type Address, getProgramDerivedAddress } from '@solana/addresses';

export async function deriveAddress(programAddress: Address, seeds: readonly (string | Uint8Array)[]): Promise<Address> {
  const [found] = await getProgramDerivedAddress({ programAddress, seeds: [...seeds] });
  return found;
}
