/** The funding record of an agent: where to send money, what is there, and what launches cost today. */
import { formatUnits, formatUsd, MarketError, networkFacts, networkNames, type OperationAnswer, type Operations } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { mayEditAgent } from '../../access/ownership.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import { readAgentWallets } from '../wallet-keys/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { listLog } from './log-repository.ts';
import type { MintPurpose } from './mint-movements.ts';
import { inSol, quoteMint } from './mint-plan.ts';
import { presentLogEntry, presentWithdraw } from './present.ts';
import { readWalletUse } from './repository.ts';
import { readWithdrawAddresses } from './withdraw-addresses.ts';

type FundingRecord = OperationAnswer<Operations['wallets']['funding']>['data'];
type Balance = FundingRecord['balances'][number];
type Requirement = FundingRecord['requirements']['launch'];

export function walletQueries(context: AgentWalletsContext): Pick<HandlersOf<'wallets'>, 'funding' | 'log'> {
  const { db } = context.database;
  async function requireReader(caller: Parameters<typeof mayEditAgent>[0], id: string): Promise<AgentRow> {
    const agent = await findAgent(db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
    return agent;
  }
  return {
    async funding({ id }, { caller }) {
      const agent = await requireReader(caller, id);
      return { data: await readFunding(context, agent) };
    },

    async log({ id, ...page }, { caller }) {
      const agent = await requireReader(caller, id);
      const { rows, total, nextCursor } = await listLog(db, agent.id, page);
      return { data: rows.map((row) => presentLogEntry(row, context.explorerUrl)), total, next_cursor: nextCursor };
    },
  };
}

const NOTE =
  'Send SOL to deposit_address to pay for a launch. USDC leaves the wallet without any SOL or ETH: the marketplace pays the network fee.';
const UNREADABLE = 'Some amounts are null because a chain cannot be asked right now. Count them as too little.';

async function readFunding(context: AgentWalletsContext, agent: AgentRow): Promise<FundingRecord> {
  const { database, settings } = context;
  const wallets = await readAgentWallets(database.db, agent.id);
  const own = (address: string): string | null => (address === '' ? null : address);
  const [balances, requirements, withdraw, use] = await Promise.all([
    Promise.all(servedNetworks(context).map((network) => readBalance(context, network, wallets[networkFacts[network].kind]))),
    readRequirements(context, agent, wallets.solana),
    readWithdrawAddresses(database.db, agent.id),
    readWalletUse(database.db, { agentId: agent.id, network: 'solana-mainnet', asset: 'usdc' }),
  ]);
  const solana = balances.find(({ network }) => networkFacts[network].kind === 'solana');
  const isKnown = balances.every(({ usdc }) => usdc !== null) && requirements.launch.cost_sol !== null;
  return {
    deposit_address: own(wallets.solana),
    balance_sol: solana?.native == null ? null : Number(solana.native),
    balance_usdc: solana?.usdc == null ? null : Number(solana.usdc),
    requirements,
    note: isKnown ? NOTE : `${NOTE} ${UNREADABLE}`,
    evm_address: own(wallets.evm),
    balances,
    withdraw: presentWithdraw(withdraw),
    limits: { daily_usd: formatUsd(settings.dailyMicros), used_usd: formatUsd(use.dayMicros) },
  };
}

function servedNetworks({ chains }: AgentWalletsContext) {
  return networkNames.filter((network) => chains.has(network));
}

async function readBalance(context: AgentWalletsContext, network: Balance['network'], address: string): Promise<Balance> {
  const { chain: word, coin } = networkFacts[network];
  const known = { network, chain: word, address, coin: coin.symbol };
  try {
    const chain = context.chains.get(network);
    if (chain === undefined || address === '') return { ...known, usdc: null, native: null };
    const { usdcMicros, native } = await chain.readBalances(address);
    return { ...known, usdc: formatUsd(usdcMicros), native: formatUnits(native, coin.decimals) };
  } catch (error) {
    context.log.warn({ err: error, network }, 'the balance of an agent wallet could not be read');
    return { ...known, usdc: null, native: null };
  }
}

const UNKNOWN: Requirement = { cost_sol: null, required_sol: null };

async function readRequirements(context: AgentWalletsContext, agent: AgentRow, payer: string): Promise<FundingRecord['requirements']> {
  const costs = context.walletChains.solanaCosts;
  const of = async (purpose: MintPurpose): Promise<Requirement> => {
    if (costs === undefined || payer === '') return UNKNOWN;
    try {
      const { cost, required } = await quoteMint(context, costs, agent, purpose, payer);
      return { cost_sol: inSol(cost), required_sol: inSol(required) };
    } catch (error) {
      context.log.warn({ err: error }, 'the cost of a mint could not be asked');
      return UNKNOWN;
    }
  };
  const [launch, said] = await Promise.all([of('token_launch'), of('said_identity')]);
  return { launch, said };
}
