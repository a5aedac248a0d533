/** For tests of abuse: many small holders of one vault, and units that come or go without a deposit. */
import { LEND_VAULT_ADDRESS } from '@market/sandbox/evm';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Database } from '../../packages/server/src/platform/db/database.ts';
import { type CallOptions, call, type Reply } from '../harness/http.ts';
import { walletOf } from '../harness/orders.ts';
import { openPayer } from '../harness/payers.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { type Depositor, type EarnMarket, LEND } from './stage.ts';

export interface SmallHolder {
  readonly address: string;
  withdraw(url: string, body: Record<string, unknown>): Promise<Reply>;
}

/** Divides this wallet's shares by SQL, as if each wallet had deposited its part; on chain it would take minutes. */
export async function splitAmong(market: EarnMarket, { pool }: Database, holder: Depositor, count: number): Promise<SmallHolder[]> {
  const wallets = Array.from({ length: count }, () => walletOf(openPayer(market, 'base-mainnet', generatePrivateKey())));
  const from = holder.payer.address;
  const addresses = wallets.map(({ address }) => address);
  await pool.query(
    `with whole as (select shares, principal_micros from earn_positions where vault_key = $1 and owner_id = $2),
       part as (select trunc(shares / $3::int) as shares, principal_micros / $3::int as principal from whole),
       given as (insert into earn_positions (vault_key, owner_kind, owner_id, shares, principal_micros)
         select $1, 'wallet', address, part.shares, part.principal from part, unnest($4::text[]) as address),
       noted as (insert into earn_movements (vault_key, owner_kind, owner_id, kind, shares, principal_micros)
         select $1, 'wallet', address, 'deposit', part.shares, part.principal from part, unnest($4::text[]) as address
         union all select $1, 'wallet', $2, 'deposit', -part.shares * $3::int, -part.principal * $3::int from part)
     update earn_positions p set shares = p.shares - part.shares * $3::int, principal_micros = p.principal_micros - part.principal * $3::int
     from part where p.vault_key = $1 and p.owner_id = $2`,
    [LEND, from, count, addresses],
  );
  return wallets.map((wallet) => ({
    address: wallet.address,
    async withdraw(url, body) {
      const credentials: CallOptions = { headers: asHeaders(await signed(wallet)) };
      return await call(url, 'POST /api/earn/pool/withdraw', { ...credentials, body: { key: LEND, ...body } });
    },
  }));
}

/** Makes the book exceed the venue by this amount, owned by a holder who never leaves. */
export async function loseUnitsOf({ pool }: Database, usd: bigint): Promise<void> {
  const units = String(usd * 10n ** 12n);
  const ghost = privateKeyToAccount(generatePrivateKey()).address;
  await pool.query(
    `with bought as (select trunc($3::numeric * total_shares / total_units) as shares from earn_vaults where key = $1),
       given as (insert into earn_positions (vault_key, owner_kind, owner_id, shares, principal_micros) select $1, 'wallet', $2, shares, 0 from bought),
       noted as (insert into earn_movements (vault_key, owner_kind, owner_id, kind, shares, units)
         select $1, 'wallet', $2, 'deposit', shares, $3::numeric from bought)
     update earn_vaults set total_shares = total_shares + bought.shares, total_units = total_units + $3::numeric, version = version + 1
     from bought where key = $1`,
    [LEND, ghost, units],
  );
}

const abi = parseAbi(['function approve(address spender, uint256 value)', 'function deposit(uint256 assets, address receiver)']);

/** Sends units of the venue to the treasury without a deposit. */
export async function giveUnits({ payer }: Depositor, micros: bigint, venue: Hex = LEND_VAULT_ADDRESS): Promise<void> {
  const send = async (to: string, data: Hex) => {
    const hash = await payer.wallet.sendTransaction({ to: to as Hex, data, gas: 500_000n });
    const { status } = await payer.reader.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error('the venue did not take the gift');
  };
  await send(payer.chain.usdcAddress, encodeFunctionData({ abi, functionName: 'approve', args: [venue, micros] }));
  await send(venue, encodeFunctionData({ abi, functionName: 'deposit', args: [micros, payer.chain.treasury as Hex] }));
}

export async function inTens(holders: readonly SmallHolder[], act: (holder: SmallHolder) => Promise<void>): Promise<void> {
  for (let from = 0; from < holders.length; from += 10) await Promise.all(holders.slice(from, from + 10).map(act));
}

export async function untilAllSettled({ pool }: Pick<Database, 'pool'>): Promise<void> {
  for (let look = 0; look < times(300, 900); look++) {
    const { rows } = await pool.query(`select count(*)::int as open from earn_withdrawals where status <> 'settled'`);
    if (rows[0].open === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('withdrawals are still open');
}
