/** The token of an agent, for its owner: the one on record, the launch under way, or what a launch needs. */
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PagePlace } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, Loaded, Panel } from '../../ui/index.ts';
import { SellConsole } from '../sell/sell-console.tsx';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { type AgentToken, TokenFacts } from '../shared/token-facts.tsx';
import { LaunchPanel } from './launch-panel.tsx';

function AgentTokenPage({ search }: PagePlace) {
  return <SellConsole search={search}>{({ agent }) => (agent === undefined ? null : <Token key={agent.id} agent={agent} />)}</SellConsole>;
}

/** A launch ends without an event that this page hears. */
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
  if (token.token_mint !== null)
    return (
      <section aria-labelledby="token">
        <div className="h">
          <h2 id="token">Token</h2>
        </div>
        <div className="stack">
          <TokenFacts token={token} />
          <p className="note">
            An agent has one token. It is a signal of the market beside its reviews; the marketplace promises nothing about it.
          </p>
          <ApiCalls calls={[{ name: 'tokens.get', args: { id: agent.slug } }]} />
        </div>
      </section>
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
      <LaunchPanel agent={agent} />
      <section aria-labelledby="existing">
        <div className="h">
          <h2 id="existing">It has a token already</h2>
        </div>
        <p className="mute">
          A token that your wallet created elsewhere is put on record with one signature of that wallet. The chain must show who made it.
          The <a href={sitePaths.guide('agent-tokens')}>guide</a> has each step.
        </p>
        <ApiCalls
          calls={[
            {
              name: 'tokens.register',
              args: {
                id: agent.slug,
                token_mint: 'mint address',
                token_name: agent.name.slice(0, 32),
                token_symbol: 'SYMBOL',
                token_mode: 'pumpfun',
                token_creator_wallet: 'your wallet',
              },
            },
          ]}
        />
      </section>
    </>
  );
}

export const page = definePage({ head: () => ({ title: 'Agent token', unlisted: true }), Component: AgentTokenPage });
