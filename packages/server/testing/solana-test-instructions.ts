/** For tests: instructions of token holders and issuers beyond a plain payment. */
import { base58 } from '@scure/base';
import { type Address, address, getProgramDerivedAddress } from '@solana/addresses';
import { type AccountMeta, AccountRole, type Instruction } from '@solana/instructions';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../src/platform/chains/solana/programs.ts';

const LOOKUP_TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111');
const RENT_LAMPORTS = 3_000_000n;
const ACCOUNT_OWNER = 2;

const writable = (address: Address) => ({ address, role: AccountRole.WRITABLE });
const readable = (address: Address) => ({ address, role: AccountRole.READONLY });
const signing = (address: Address) => ({ address, role: AccountRole.READONLY_SIGNER });
const signingWritable = (address: Address) => ({ address, role: AccountRole.WRITABLE_SIGNER });

function tell(number: number, accounts: readonly AccountMeta[], ...rest: readonly Uint8Array[]): Instruction {
  return { programAddress: TOKEN_PROGRAM, accounts, data: Buffer.concat([Buffer.of(number), ...rest]) };
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Creates a mint (82 bytes) or a token account (165 bytes) at a chosen address. */
export function createAccount(payer: Address, created: Address, space: 82 | 165): Instruction {
  const data = Buffer.concat([Buffer.alloc(4), u64(RENT_LAMPORTS), u64(BigInt(space)), base58.decode(TOKEN_PROGRAM)]);
  return { programAddress: SYSTEM_PROGRAM, accounts: [signingWritable(payer), signingWritable(created)], data };
}

export function initializeMint(mint: Address, issuer: Address): Instruction {
  return tell(20, [writable(mint)], Buffer.of(6), base58.decode(issuer), Buffer.of(1), base58.decode(issuer));
}

export function initializeTokenAccount(account: Address, mint: Address, owner: Address): Instruction {
  return tell(18, [writable(account), readable(mint)], base58.decode(owner));
}

export function mintTo(mint: Address, account: Address, issuer: Address, micros: bigint): Instruction {
  return tell(7, [writable(mint), writable(account), signing(issuer)], u64(micros));
}

export function transfer(source: Address, destination: Address, authority: Address, micros: bigint): Instruction {
  return tell(3, [writable(source), writable(destination), signing(authority)], u64(micros));
}

export function approve(account: Address, delegate: Address, owner: Address, micros: bigint): Instruction {
  return tell(4, [writable(account), readable(delegate), signing(owner)], u64(micros));
}

export function setOwner(account: Address, owner: Address, newOwner: Address): Instruction {
  return tell(6, [writable(account), signing(owner)], Buffer.of(ACCOUNT_OWNER, 1), base58.decode(newOwner));
}

export function closeTokenAccount(account: Address, beneficiary: Address, owner: Address): Instruction {
  return tell(9, [writable(account), writable(beneficiary), signing(owner)]);
}

export function freeze(account: Address, mint: Address, issuer: Address): Instruction {
  return tell(10, [writable(account), readable(mint), signing(issuer)]);
}

/** Recovers money sent to the associated account of the wallet's associated account; the program signs for the latter. */
export function recoverNested(from: { nested: Address; tokenAccount: Address; mint: Address; wallet: Address }): Instruction {
  const { nested, tokenAccount, mint, wallet } = from;
  return {
    programAddress: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      writable(nested),
      readable(mint),
      writable(tokenAccount),
      readable(tokenAccount),
      readable(mint),
      signingWritable(wallet),
      readable(TOKEN_PROGRAM),
    ],
    data: Buffer.of(2),
  };
}

/** A lookup table, from which later transactions can name accounts by index. */
export async function createLookupTable(
  owner: Address,
  recentSlot: bigint,
  entries: readonly Address[],
): Promise<{ readonly table: Address; readonly steps: readonly Instruction[] }> {
  const [table, bump] = await getProgramDerivedAddress({
    programAddress: LOOKUP_TABLE_PROGRAM,
    seeds: [base58.decode(owner), u64(recentSlot)],
  });
  const accounts = [writable(table), signing(owner), signingWritable(owner), readable(SYSTEM_PROGRAM)];
  const create = Buffer.concat([Buffer.of(0, 0, 0, 0), u64(recentSlot), Buffer.of(bump)]);
  const extend = Buffer.concat([Buffer.of(2, 0, 0, 0), u64(BigInt(entries.length)), ...entries.map((entry) => base58.decode(entry))]);
  return { table, steps: [create, extend].map((data) => ({ programAddress: LOOKUP_TABLE_PROGRAM, accounts, data })) };
}
