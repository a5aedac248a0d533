/** Operations of the sandbox: sign in as any person, move the clock, fund wallets, break chains. Not wired in production. */
import { formatUsd, MarketError, type NetworkName, networkFacts, networkOfChain, parseUsd } from '@market/contract';
import { ChainsRefusal, type DevelopmentIdentityProvider, InvalidPersonError, type SandboxChains } from '@market/sandbox';
import type { HandlersOf } from '../../access/call.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { DatabaseClock } from '../../platform/clock/database-clock.ts';

export interface SandboxContext {
  readonly clock: DatabaseClock;
  readonly idp: { readonly provider: DevelopmentIdentityProvider; readonly issuer: string; readonly jwksUri: string };
  /** Absent when the sandbox runs without its chains. */
  readonly localChains: SandboxChains | undefined;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly venues: readonly { readonly key: string; readonly network: NetworkName; readonly at: { readonly venue: string } }[];
}

const MAX_USDC_MICROS = 1_000_000_000_000n;
const MAX_NATIVE_COINS = 100n;

export function sandboxHandlers({ clock, idp, localChains, chains, venues }: SandboxContext): HandlersOf<'sandbox'> {
  const readClock = () => ({
    data: { now: clock.now().toISOString(), offset_seconds: Math.round((clock.now().getTime() - clock.realNow().getTime()) / 1000) },
  });

  return {
    async info() {
      const networks = (localChains?.networks ?? []).map(({ network, caip2, rpcUrl, usdcAddress }) => ({
        network,
        caip2,
        rpc_url: rpcUrl,
        usdc_address: usdcAddress,
        treasury: chains.get(network)?.treasury ?? '',
      }));
      const wallets = (localChains?.wallets ?? []).map(({ name, chain, address, secretKey, networks: fundedOn }) => ({
        name,
        chain,
        address: canonicalOn(chains, fundedOn, address),
        secret_key: secretKey,
        networks: [...fundedOn],
      }));
      return { data: { networks, wallets, idp: { issuer: idp.issuer, jwks_uri: idp.jwksUri } } };
    },

    async signIn(person) {
      try {
        return { data: await idp.provider.issueToken(person) };
      } catch (error) {
        if (error instanceof InvalidPersonError) throw new MarketError('invalid_input', { message: error.message });
        throw error;
      }
    },

    async faucet({ network, address, usdc = '0', native = '0' }) {
      const chain = requireChain(chains, network);
      const to = chain.canonicalAddress(address);
      if (to === undefined) throw new MarketError('invalid_input', { message: `address must be an address on ${network}.` });
      const usdcMicros = parseUsd(usdc) ?? 0n;
      const { decimals } = networkFacts[network].coin;
      const nativeUnits = toSmallestUnit(native, decimals);
      if (usdcMicros > MAX_USDC_MICROS) throw new MarketError('invalid_input', { message: 'usdc must be at most 1,000,000.' });
      if (nativeUnits > toSmallestUnit(String(MAX_NATIVE_COINS), decimals)) {
        throw new MarketError('invalid_input', { message: 'native must be at most 100.' });
      }
      if (usdcMicros === 0n && nativeUnits === 0n)
        throw new MarketError('invalid_input', { message: 'Say how much: usdc, native or both.' });
      const before = await chain.readBalances(to);
      const sent = await requireLocal(localChains).fund({ network, address: to, usdcMicros, native: nativeUnits }).catch(explainRefusal);
      await untilVisible(chain, to, before.usdcMicros + usdcMicros, before.native + nativeUnits);
      const transfers = [
        ...(sent.usdc === undefined ? [] : [{ asset: 'usdc' as const, amount: usdc, tx_hash: sent.usdc }]),
        ...(sent.native === undefined ? [] : [{ asset: 'native' as const, amount: native, tx_hash: sent.native }]),
      ];
      return { data: { network, address: to, tx_hash: transfers[0]?.tx_hash ?? '', transfers } };
    },

    async balance({ network, address }) {
      const chain = requireChain(chains, network);
      const of = chain.canonicalAddress(address);
      if (of === undefined) throw new MarketError('invalid_input', { message: `address must be an address on ${network}.` });
      const { usdcMicros, native } = await chain.readBalances(of);
      return { data: { network, address: of, usdc: formatUsd(usdcMicros), native: String(native) } };
    },

    async fault({ target, mode, seconds }) {
      await requireLocal(localChains).setFault({ network: networkOfChain(target), mode, ...(seconds !== undefined && { seconds }) });
      return { data: { target, mode } };
    },

    changeVenue: changeVenue(venues, localChains),

    async clock() {
      // Another process may have moved the clock a moment ago.
      await clock.synchronise();
      return readClock();
    },

    async advanceClock({ advance_seconds: seconds }) {
      // Chains first: a payment made right after must not look older than what it pays for.
      await localChains?.advance(seconds);
      await clock.advance(seconds);
      return readClock();
    },
  };
}

function changeVenue(venues: SandboxContext['venues'], localChains: SandboxChains | undefined): HandlersOf<'sandbox'>['changeVenue'] {
  return async ({ key, action, usdc = '0' }) => {
    const named = venues.find((venue) => venue.key === key);
    if (named === undefined) throw new MarketError('invalid_input', { message: `There is no vault ${key}.` });
    const change = { network: named.network, venue: named.at.venue, action, micros: parseUsd(usdc) ?? 0n };
    return { data: { key, action, tx_hash: await requireLocal(localChains).steerVenue(change).catch(explainRefusal) } };
  };
}

function explainRefusal(error: unknown): never {
  throw error instanceof ChainsRefusal ? new MarketError('invalid_input', { message: error.message }) : error;
}

/** Waits for the confirmation of a transfer, so that the next read of the balance shows it. */
async function untilVisible(chain: Chain, address: string, usdcMicros: bigint, native: bigint): Promise<void> {
  for (let attempt = 0; attempt < 25; attempt++) {
    const now = await chain.readBalances(address);
    if (now.usdcMicros >= usdcMicros && now.native >= native) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The address in its canonical spelling, as in all answers. */
function canonicalOn(chains: ReadonlyMap<NetworkName, Chain>, networks: readonly NetworkName[], address: string): string {
  const [chain] = networks.map((network) => chains.get(network));
  return chain?.canonicalAddress(address) ?? address;
}

function requireChain(chains: ReadonlyMap<NetworkName, Chain>, network: NetworkName): Chain {
  const chain = chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  return chain;
}

function requireLocal(localChains: SandboxChains | undefined): SandboxChains {
  if (localChains === undefined) throw new MarketError('network_not_available', { message: 'This sandbox runs without its local chains.' });
  return localChains;
}

/** `"1.5"` with 9 decimals → 1500000000n */
function toSmallestUnit(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
