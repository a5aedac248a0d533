/** Opens the facilitator: the remote one that the settings name, otherwise this process with its sponsor keys. */
import { type NetworkName, networkFacts } from '@market/contract';
import type pg from 'pg';
import type { Chain } from '../chains/chain.ts';
import type { NetworkEndpoint } from '../chains/network-endpoints.ts';
import type { SolanaSigner } from '../chains/solana/solana-signer.ts';
import type { EvmSigner } from '../chains/treasury-signer.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { openEvmContext, openRpc } from './evm-domain.ts';
import { createEvmSettler } from './evm-settler.ts';
import type { Facilitator } from './facilitator.ts';
import { createInProcessFacilitator } from './in-process-facilitator.ts';
import type { PendingSettlements } from './pending-settlements.ts';
import { createRemoteFacilitator } from './remote-facilitator.ts';
import type { Settler } from './settler.ts';
import { createSolanaSettler } from './solana-settler.ts';

/** The keys that pay settlement fees. A network without one accepts no standard payments. */
export interface SponsorSigners {
  readonly solana: SolanaSigner | undefined;
  readonly evm: EvmSigner | undefined;
}

export interface FacilitatorOptions {
  readonly remote: { readonly url: string; readonly authorization: string | undefined } | undefined;
  readonly endpoints: readonly NetworkEndpoint[];
  readonly sponsors: SponsorSigners;
  readonly chains: ReadonlyMap<NetworkName, Pick<Chain, 'treasury'>>;
  readonly pool: pg.Pool;
  readonly pendings: PendingSettlements;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'gauge'>;
  /** How long `settle` waits for the chain before it answers `unknown`. */
  readonly confirmationMs?: number;
}

const CONFIRMATION_MS = 10_000;
const TURN_MS = 10_000;

export async function openFacilitator(options: FacilitatorOptions): Promise<Facilitator> {
  if (options.remote !== undefined) return await openRemote(options, options.remote);
  const settlers = options.endpoints.map((endpoint) => openSettler(options, endpoint)).filter((settler) => settler !== undefined);
  return await createInProcessFacilitator({ settlers, log: options.log, metrics: options.metrics });
}

function openSettler(options: FacilitatorOptions, endpoint: NetworkEndpoint): Settler | undefined {
  const { sponsors, chains, pool, pendings, confirmationMs = CONFIRMATION_MS } = options;
  const treasury = chains.get(endpoint.network)?.treasury;
  if (treasury === undefined) return undefined;
  if (networkFacts[endpoint.network].kind === 'evm') {
    if (sponsors.evm === undefined) return undefined;
    requireOwnKey(sponsors.evm.address, treasury, endpoint.network);
    return createEvmSettler(
      openEvmContext(endpoint, treasury),
      { signer: sponsors.evm, pool, pendings },
      { confirmationMs, turnMs: TURN_MS },
    );
  }
  if (sponsors.solana === undefined) return undefined;
  requireOwnKey(sponsors.solana.address, treasury, endpoint.network);
  const { caip2, usdcAddress: usdcMint } = endpoint;
  return createSolanaSettler(
    { caip2, usdcMint, treasury, rpc: openRpc(endpoint) },
    { signer: sponsors.solana, pendings },
    { confirmationMs },
  );
}

/** With one key, payouts and settlements would share account nonces on EVM; Solana refuses payments to the fee payer. */
function requireOwnKey(sponsor: string, treasury: string, network: NetworkName): void {
  if (sponsor === treasury) throw new Error(`The x402 sponsor on ${network} must not be the treasury. Give it a key of its own.`);
}

async function openRemote(
  { endpoints, chains, log }: FacilitatorOptions,
  remote: NonNullable<FacilitatorOptions['remote']>,
): Promise<Facilitator> {
  const treasuryOf = ({ network }: NetworkEndpoint) => chains.get(network)?.treasury;
  const served = endpoints.flatMap((endpoint) => {
    const treasury = treasuryOf(endpoint);
    return treasury === undefined ? [] : [{ endpoint, treasury }];
  });
  const solana = served.find(({ endpoint }) => networkFacts[endpoint.network].kind === 'solana');
  return await createRemoteFacilitator({
    ...remote,
    log,
    evm: served.filter((one) => one !== solana).map(({ endpoint, treasury }) => openEvmContext(endpoint, treasury)),
    solana: solana && { caip2: solana.endpoint.caip2, usdcMint: solana.endpoint.usdcAddress, treasury: solana.treasury },
  });
}
