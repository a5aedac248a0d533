/**
 * Pools of the sandbox. Anybody gives a token a price by sending USDC and some of the token to an address derived from its mint. The price
 * is the pool's USDC divided by its tokens. Nobody has a key to the address, so no money leaves it.
 */
import { type Address, getAddressDecoder, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chains/solana/programs.ts';
import { readMint } from '../chains/solana/read-mint.ts';
import type { SolanaAccount, SolanaRpc } from '../chains/solana/solana-rpc.ts';
import { deriveTokenAccount, readTokenAccount, TOKEN_ACCOUNT_BYTES } from '../chains/solana/token-account.ts';
import type { TokenPrice } from '../prices/price-source.ts';

/** The demo of the sandbox derives the same address. */
export async function deriveTokenPool(mint: Address): Promise<Address> {
  const [pool] = await getProgramDerivedAddress({ programAddress: TOKEN_PROGRAM, seeds: ['pool', getAddressEncoder().encode(mint)] });
  return pool;
}

/** Undefined for a token without a pool, or with an empty one. */
export async function readPoolPrice(rpc: SolanaRpc, usdcMint: Address, mint: Address): Promise<TokenPrice | undefined> {
  const facts = await readMint({ rpc }, mint);
  if (facts === undefined) return undefined;
  const program = facts.program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const pool = await deriveTokenPool(mint);
  const accounts = await Promise.all([deriveTokenAccount(pool, usdcMint), deriveTokenAccount(pool, mint, program)]);
  const [usdc, tokens] = await rpc.readAccounts(accounts);
  const [micros, units] = [readTokenAccount(usdc)?.micros ?? 0n, readUnits(tokens, program, mint)];
  if (micros === 0n || units === 0n) return undefined;
  const whole = (amount: bigint): number => Number(amount) / 10 ** facts.decimals;
  const priceUsd = Number(micros) / 1e6 / whole(units);
  return { priceUsd, marketCapUsd: priceUsd * whole(facts.supply) };
}

/** Accounts of Token-2022 may have extensions after the common part. */
function readUnits(account: SolanaAccount | null | undefined, program: Address, mint: Address): bigint {
  if (account?.owner !== program || account.data.length < TOKEN_ACCOUNT_BYTES) return 0n;
  return getAddressDecoder().decode(account.data, 0) === mint ? account.data.readBigUInt64LE(64) : 0n;
}
