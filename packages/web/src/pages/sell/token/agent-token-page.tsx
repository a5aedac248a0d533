/** The token of an agent, for its owner: the registered token, the running launch, or the requirements of a launch. */
import type { TokenMode } from '@market/contract';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { ApiCalls, Loaded, Panel } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { PriceChart } from '../../shared/price-chart.tsx';
import { type AgentToken, TokenFacts } from '../../shared/token-facts.tsx';
import { SellConsole } from '../sell-console.tsx';
import { feeShares } from './fee-words.ts';
import { FeesPanel } from './fees-panel.tsx';
import { LaunchPanel } from './launch-panel.tsx';
import { RegisterPanel } from './register-panel.tsx';

function AgentTokenPage({ search }: PageProps) {
  return <SellConsole search={search}>{({ agent }) => (agent === undefined ? null : <Token key={agent.id} agent={agent} />)}</SellConsole>;
}

/** Polls, because this page gets no event when a launch ends. */
const LOOK_AGAIN_MS = 3_000;

function Token({ agent }: { readonly agent: OwnedAgent }) {
  const token = useAnswer('tokens.get', { id: agent.slug }, { everyMs: LOOK_AGAIN_MS });
  return (
    <Loaded answer={token} what="The token">
      {({ data }) => <State agent={agent} token={data} />}
    </Loaded>
  );
}

function State({ agent, token }: { readonly agent: OwnedAgent; readonly token: AgentToken }) {
  const { token_mint: mint, token_symbol: symbol, token_mode: mode } = token;
  if (mint !== null && symbol !== null && mode !== null)
    return (
      <>
        <section aria-labelledby="token">
          <div className="heading">
            <h2 id="token">Token</h2>
          </div>
          <div className="stack">
            <TokenFacts token={token} />
            <PriceChart slug={agent.slug} symbol={symbol} />
            <p className="note">
              An agent has one token. It is a signal of the market beside its reviews; the marketplace promises nothing about it.
            </p>
            <ApiCalls
              calls={[
                { name: 'tokens.get', args: { id: agent.slug } },
                { name: 'tokens.priceHistory', args: { id: agent.slug } },
              ]}
            />
          </div>
        </section>
        <FeesPanel agent={agent} mode={mode} />
      </>
    );
  if (token.token_launch_attempted === 1)
    return (
      <Panel title="A launch is under way">
        <p role="status">
          The launch is stored and goes on by itself, also when you close this page. It is final within a minute. If it stays like this,
          write to the operators: nothing is launched twice.
        </p>
      </Panel>
    );
  return (
    <>
      <NoToken agent={agent} />
      <LaunchPanel agent={agent} />
      <RegisterPanel agent={agent} />
    </>
  );
}

/** The two ways to a token; the choice is final. */
function NoToken({ agent }: { readonly agent: OwnedAgent }) {
  const agentsPart = (mode: TokenMode): string => `${feeShares(mode)[0]?.percent}%`;
  return (
    <section aria-labelledby="no-token">
      <div className="heading">
        <h2 id="no-token">No token yet</h2>
      </div>
      <p className="mute">
        {agent.name} can have one token, for good. Launch a new one here: the agent’s wallet pays, holds all of it, and gets{' '}
        {agentsPart('partner')} of its trading fees. Or register one that your wallet made elsewhere: it costs nothing, and the agent gets{' '}
        {agentsPart('byot')}.
      </p>
    </section>
  );
}

export const page = definePage({ head: () => ({ title: 'Agent token', unlisted: true }), Component: AgentTokenPage });
