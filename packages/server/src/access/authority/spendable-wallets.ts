/** Power `spend`: from whose wallets this caller may spend a transfer, for every operation and transport. */
import type { NetworkName } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import type { Caller, WalletCaller } from '../caller.ts';
import { SHORT_MAX_AGE_MS } from './seen-signatures.ts';
import { listConfirmedWallets, listWalletsForAgent, type SpendableWallet } from './spendable-wallets-repository.ts';

export type { SpendableWallet };

/**
 * The wallets a transfer may come from. Sessions and signatures count where they are proven, accounts bring their linked wallets. An API
 * key or a connected program brings only the agent's own wallets and those whose owner allowed this agent.
 */
export async function spendableWallets(db: Db, caller: Caller, network: NetworkName): Promise<readonly SpendableWallet[]> {
  const { agent, user, connection } = caller;
  const shown = [caller.wallet, caller.walletElsewhere].flatMap((wallet) => asSpendable(wallet, network));
  const linked = user === undefined || connection !== undefined ? [] : await listConfirmedWallets(db, user.id, network);
  const ofAgent = agent === undefined || agent.byLink === true ? [] : await listWalletsForAgent(db, agent.id, network);
  return [...shown, ...linked.map((address) => ({ address, by: 'link' as const })), ...ofAgent];
}

/** The wallet of this request that vouches for the payer, if it did so by signature, which may spend one transfer. */
export function signerOf({ wallet, walletElsewhere }: Caller, payer: string): WalletCaller | undefined {
  return [wallet, walletElsewhere].find((one) => one?.address === payer && one.proof !== 'session');
}

function asSpendable(wallet: WalletCaller | undefined, network: NetworkName): SpendableWallet[] {
  if (wallet === undefined || !isProvenOn(wallet, network)) return [];
  const { address, proof, signatureAgeMs = Number.POSITIVE_INFINITY } = wallet;
  if (proof === 'session') return [{ address, by: 'session' }];
  if (proof === 'custody' || proof === 'sign_in') return [{ address, by: 'signature' }];
  const isFresh = (proof === 'signature' || proof === 'single_use') && signatureAgeMs <= SHORT_MAX_AGE_MS;
  return isFresh ? [{ address, by: 'signature' }] : [];
}

function isProvenOn({ provenOn }: WalletCaller, network: NetworkName): boolean {
  return provenOn === undefined || provenOn.some((proven) => proven.network === network);
}
