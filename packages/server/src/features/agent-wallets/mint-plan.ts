/** Metadata that a launch or an identity mint writes on chain, and its cost. The funding record and the launch share this code. */
import type { MintMetadata } from '../../platform/chains/solana/mint-size.ts';
import type { SolanaCosts } from '../../platform/wallets/wallet-chains.ts';
import type { AgentRow } from '../agents/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { type MintCost, readMintCost } from './mint-costs.ts';
import type { MintPurpose } from './mint-movements.ts';

const NAME_CHARACTERS = 32;
const NAME_BYTES = 64;
const SAID_SYMBOL = 'ID';
/** An address with 44 characters, the maximum. */
const ANY_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const LONGEST_SYMBOL = 'S'.repeat(10);

type Site = Pick<AgentWalletsContext, 'serviceName' | 'baseUrl'>;
type Named = Pick<AgentRow, 'id' | 'name'>;

export function planMint(site: Site, agent: Named, purpose: MintPurpose, mint: string, symbol: string): MintMetadata {
  return purpose === 'token_launch'
    ? { name: tokenName(agent.name, site.serviceName), symbol, uri: `${site.baseUrl}/api/tokens/${mint}/metadata.json` }
    : {
        name: fitName(agent.name, ''),
        symbol: SAID_SYMBOL,
        uri: `${site.baseUrl}/api/said/card/${agent.id}`,
        nonTransferable: true,
      };
}

/** Cost of a mint with the longest symbol, so an actual launch never costs more. */
export async function quoteMint(
  site: Site & Pick<AgentWalletsContext, 'walletChains'>,
  costs: SolanaCosts,
  agent: Named,
  purpose: MintPurpose,
  payer: string,
): Promise<MintCost> {
  const metadata = planMint(site, agent, purpose, ANY_MINT, LONGEST_SYMBOL);
  return await readMintCost(costs, { launcher: site.walletChains.tokenLauncher, metadata, payer, mint: ANY_MINT });
}

/** The agent's name with the marketplace's suffix, unless it has that already. */
export function tokenName(agentName: string, serviceName: string): string {
  const suffix = ` by ${serviceName}`;
  const bare = agentName.toLowerCase().endsWith(suffix.toLowerCase()) ? agentName.slice(0, -suffix.length) : agentName;
  return fitName(bare, suffix);
}

/** Cuts the name between characters until name and suffix fit. A suffix that leaves no room for the name is cut, too. */
function fitName(name: string, suffix: string): string {
  const characters = [...name.trim()];
  const end = [...suffix].slice(0, NAME_CHARACTERS - 2).join('');
  const fits = (text: string) => text.length <= NAME_CHARACTERS && Buffer.byteLength(text) <= NAME_BYTES;
  while (characters.length > 1 && !fits(characters.join('').trimEnd() + end)) characters.pop();
  return characters.join('').trimEnd() + end;
}

/** Lamports as SOL, rounded up to six decimals. */
export function inSol(lamports: bigint): number {
  return Number((lamports + 999n) / 1_000n) / 1_000_000;
}
