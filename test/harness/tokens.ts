/** Tokens for tests, made on the local Solana chain as owners make them. */
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import { createTokenAccount } from '../../packages/server/src/platform/chains/solana/instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../packages/server/src/platform/chains/solana/programs.ts';
import { deriveTokenAccount } from '../../packages/server/src/platform/chains/solana/token-account.ts';
import { deriveTokenPool } from '../../packages/server/src/platform/swaps/token-pool.ts';
import { createPayer, createSolanaWallet, type PayableMarket, type SolanaPayer, untilLanded } from './payers.ts';

const RENT_LAMPORTS = 10_000_000n;
const MINT_BYTES = 82;
const MINT_WITH_POINTER_BYTES = 234;

export interface MadeToken {
  readonly mint: string;
  /** The transaction that made it. */
  readonly reference: string;
  /** Also on the mint if its form has metadata. No other token of the tests has these names. */
  readonly token_name: string;
  readonly token_symbol: string;
}

export interface TokenForm {
  /** Default: the older token program. `metadata`: Token-2022 with name and symbol on the mint. */
  readonly form?: 'token' | 'token-2022' | 'metadata';
  /** The name and symbol in the metadata of this form. */
  readonly named?: { readonly name: string; readonly symbol: string };
  /** The mint authority was given up. */
  readonly revoked?: boolean;
}

export async function createMaker(market: PayableMarket): Promise<SolanaPayer> {
  return (await createPayer(market, 'solana-mainnet', 1_000_000n)) as SolanaPayer;
}

let made = 0;

/** Letters without look-alikes, because look-alike names are refused. */
function letters(number: number): string {
  const alphabet = 'abcdefghjkmnpqruvwxyz';
  return [...number.toString(alphabet.length)].map((digit) => alphabet[Number.parseInt(digit, alphabet.length)] ?? '').join('');
}

export async function makeToken(maker: SolanaPayer, { form = 'token', revoked = false, named }: TokenForm = {}): Promise<MadeToken> {
  made += 1;
  const { name, symbol } = named ?? {
    name: `Coin ${letters(process.pid)} ${letters(made)}`,
    symbol: `K${letters(process.pid)}${letters(made)}`.toUpperCase().slice(0, 10),
  };
  const mint = createSolanaWallet();
  const program = form === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const space = form === 'metadata' ? MINT_WITH_POINTER_BYTES : MINT_BYTES;
  const [owner, address] = [maker.wallet.address, mint.address];
  const steps: Instruction[] = [createAccount(owner, address, BigInt(space), program)];
  if (form === 'metadata') steps.push(tell(program, [writable(address)], Buffer.of(39, 0), base58.decode(owner), base58.decode(address)));
  steps.push(tell(program, [writable(address)], Buffer.of(20, 6), base58.decode(owner), Buffer.of(0)));
  if (form === 'metadata') steps.push(nameIt(program, { mint: address, owner, name, symbol }));
  if (revoked) steps.push(tell(program, [writable(address), signing(owner)], Buffer.of(6, 0, 0)));
  const reference = await maker.send(steps, [maker.wallet, mint]);
  await untilLanded(maker.chain, reference, 'confirmed');
  return { mint: address, reference, token_name: name, token_symbol: symbol };
}

/** Gives a token a price in the sandbox by filling a pool with new tokens and USDC. */
export async function fillPool(
  market: PayableMarket,
  maker: SolanaPayer,
  mint: string,
  { units, usdcMicros, form = 'token' }: Pick<TokenForm, 'form'> & { readonly units: bigint; readonly usdcMicros: bigint },
): Promise<void> {
  const program = form === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const [owner, made] = [maker.wallet.address, mint as Address];
  const pool = await deriveTokenPool(made);
  const holding = await deriveTokenAccount(pool, made, program);
  const steps = [
    createTokenAccount({ payer: owner, tokenAccount: holding, owner: pool, mint: made, program }),
    tell(program, [writable(made), writable(holding), signing(owner)], Buffer.of(7), u64(units)),
  ];
  await untilLanded(maker.chain, await maker.send(steps, [maker.wallet]), 'confirmed');
  await market.localChains?.fund({ network: 'solana-mainnet', address: pool, usdcMicros, native: 0n });
}

/** A transaction of the token other than the one that made it; anybody may send it. */
export async function touchToken(sender: SolanaPayer, mint: string): Promise<string> {
  const look: Instruction = {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: sender.wallet.address, role: AccountRole.WRITABLE_SIGNER },
      { address: mint as Address, role: AccountRole.WRITABLE },
    ],
    data: Buffer.concat([Buffer.of(2, 0, 0, 0), u64(1n)]),
  };
  const reference = await sender.send([look], [sender.wallet]);
  await untilLanded(sender.chain, reference, 'confirmed');
  return reference;
}

function nameIt(
  program: Address,
  { mint, owner, name, symbol }: { mint: Address; owner: Address; name: string; symbol: string },
): Instruction {
  const discriminator = createHash('sha256').update('spl_token_metadata_interface:initialize_account').digest().subarray(0, 8);
  const words = [name, symbol, 'https://example.com/token.json'].flatMap((word) => [u32(Buffer.byteLength(word)), Buffer.from(word)]);
  const accounts = [writable(mint), { address: owner, role: AccountRole.READONLY }, { address: mint, role: AccountRole.READONLY }];
  return tell(program, [...accounts, signing(owner)], discriminator, ...words);
}

function createAccount(payer: Address, created: Address, space: bigint, program: Address): Instruction {
  const accounts = [payer, created].map((address) => ({ address, role: AccountRole.WRITABLE_SIGNER }));
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts,
    data: Buffer.concat([Buffer.alloc(4), u64(RENT_LAMPORTS), u64(space), base58.decode(program)]),
  };
}

function tell(programAddress: Address, accounts: Instruction['accounts'], ...parts: readonly Uint8Array[]): Instruction {
  return { programAddress, accounts: accounts ?? [], data: Buffer.concat(parts) };
}

const writable = (address: Address) => ({ address, role: AccountRole.WRITABLE });
const signing = (address: Address) => ({ address, role: AccountRole.READONLY_SIGNER });

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
