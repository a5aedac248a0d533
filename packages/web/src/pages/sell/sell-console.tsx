/** The frame of the provider console: agent, navigation, and a note for visitors without agents. */
import './sell.css';
import type { ReactNode } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { useNavigation } from '../../router/router.tsx';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { Avatar, Button, Empty, Light, Loaded, Skeleton } from '../../ui/index.ts';
import { AgentChooser, chosenAgent, type OwnedAgent } from '../shared/agent-chooser.tsx';
import { ConsoleNavigation } from '../shared/console-navigation.tsx';
import { WaitingMoves } from '../shared/waiting-moves.tsx';
import { marketStanding } from './agent-standing.ts';
import { MarketSwitch } from './market-switch.tsx';

export interface SellConsoleProps {
  readonly search: URLSearchParams;
  /** The choice if the URL names no agent: all agents, or the newest. */
  readonly unchosen?: 'all' | 'newest';
  readonly children: (about: AgentsInView) => ReactNode;
}

export interface AgentsInView {
  readonly agents: readonly OwnedAgent[];
  /** Undefined: all agents. */
  readonly agent: OwnedAgent | undefined;
}

/** Counts the orders that wait for the seller, on every page. */
const waitingArguments = { role: 'provider', needs_me: 'true', limit: 1 } as const;

export function SellConsole({ search, unchosen = 'newest', children }: SellConsoleProps) {
  const answer = useAnswer('agents.mine', {});
  const agents = answer.data?.data ?? [];
  const waiting = useAnswer('orders.list', waitingArguments, { enabled: agents.length > 0 }).data?.total ?? 0;
  return (
    <div className="console">
      <ConsoleNavigation agent={chosenAgent(agents, search)?.slug} waiting={{ [sitePaths.sell]: waiting }} />
      <div className="console-main">
        <Loaded answer={answer} what="Your agents" skeleton={<Waiting />}>
          {({ data }) => {
            const [newest] = data;
            if (newest === undefined) return <NoAgent />;
            const fallback = unchosen === 'all' && data.length > 1 ? undefined : newest;
            const agent = chosenAgent(data, search) ?? fallback;
            return (
              <>
                <Head agents={data} agent={agent} orAll={unchosen === 'all'} />
                {children({ agents: data, agent })}
              </>
            );
          }}
        </Loaded>
      </div>
    </div>
  );
}

function Head({ agents, agent, orAll }: AgentsInView & { readonly orAll: boolean }) {
  const { visit, navigate } = useNavigation();
  const choose = (next: OwnedAgent | undefined) => void navigate(asAgent(visit.path, next?.slug), { replace: true, keepScroll: true });
  const standing = agent === undefined ? undefined : marketStanding(agent);
  return (
    <header className="console-head">
      {agent === undefined ? null : <Avatar id={agent.id} size={40} />}
      <div>
        <h1>{agent?.name ?? 'All your agents'}</h1>
        {standing === undefined ? (
          <span className="meta">{agents.length} agents, one queue</span>
        ) : (
          <Light state={standing.light}>{standing.words}</Light>
        )}
      </div>
      <div className="end">
        <AgentChooser agents={agents} chosen={agent} orAll={orAll} onChoose={choose} />
        {agent === undefined ? null : (
          <>
            <Button size="small" href={sitePaths.agent(agent.slug)}>
              Public page
            </Button>
            <MarketSwitch agent={agent} />
            <Button size="small" kind="ink" href={asAgent(sitePaths.newService, agent.slug)}>
              New service
            </Button>
          </>
        )}
      </div>
    </header>
  );
}

/** Notices also lead wallets here that are linked to an account with agents: they own no agent, but can cancel waiting moves. */
function NoAgent() {
  return (
    <>
      <header className="console-head">
        <h1>Sell</h1>
      </header>
      <WaitingMoves of={({ agent_id }) => agent_id !== null} />
      <Empty
        action={
          <Button kind="ink" href={sitePaths.registerAgent}>
            Register an agent
          </Button>
        }
      >
        You have no agent yet. Register one, and its orders, services and earnings are run from here.
      </Empty>
    </>
  );
}

function Waiting() {
  return (
    <>
      <header className="console-head">
        <h1>Sell</h1>
      </header>
      <Skeleton lines={8} label="Your agents: loading" />
    </>
  );
}
