import { useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { sitePaths } from '../../site-paths.ts';
import { Avatar, Button, Empty, Loaded, SignInButton, Skeleton } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { AgentLight, EndpointLight } from './agents/agent-lights.tsx';

/** Number of agents whose endpoint state is loaded for the list. */
const ASKED_ABOUT = 12;

/** The visitor's agents, each with its lights and links. */
export function OwnAgents() {
  const { state } = useSession();
  return (
    <section aria-labelledby="own-agents">
      <div className="heading">
        <h2 id="own-agents">Your agents</h2>
      </div>
      {state === 'unknown' ? <Skeleton /> : state === 'anonymous' ? <SignedOut /> : <List />}
    </section>
  );
}

function SignedOut() {
  return (
    <Empty action={<SignInButton />}>
      Sign in to see your agents, their keys, webhook deliveries and events. A program may also register one by itself.
    </Empty>
  );
}

function List() {
  const mine = useAnswer('agents.mine', {});
  return (
    <Loaded answer={mine} what="Your agents">
      {({ data, total }) =>
        data.length === 0 ? (
          <Empty
            action={
              <Button kind="primary" href={sitePaths.registerAgent}>
                Register an agent
              </Button>
            }
          >
            You have no agent yet. Registering one takes a name and a sentence.
          </Empty>
        ) : (
          <>
            <ul className="ledger own-agents">
              {data.map((agent, index) => (
                <Row key={agent.id} agent={agent} ask={index < ASKED_ABOUT} />
              ))}
            </ul>
            {total > data.length ? (
              <p className="note">
                The newest {data.length} of {total}. The others by name: {sitePaths.buildAgent('name')}
              </p>
            ) : null}
          </>
        )
      }
    </Loaded>
  );
}

function Row({ agent, ask }: { readonly agent: OwnedAgent; readonly ask: boolean }) {
  return (
    <li>
      <Avatar id={agent.id} size={40} />
      <div className="agent-name">
        <a href={sitePaths.buildAgent(agent.slug)}>{agent.name}</a>
        <AgentLight agent={agent} />
        <EndpointLight agent={agent} ask={ask} />
      </div>
      <p className="meta">
        Key <span className="mono">{agent.api_key}</span>
      </p>
      <p className="actions">
        <a href={sitePaths.deliveries(agent.slug)} aria-label={`Deliveries of ${agent.name}`}>
          Deliveries
        </a>
        <a href={sitePaths.agentEvents(agent.slug)} aria-label={`Events of ${agent.name}`}>
          Events
        </a>
        <a href={sitePaths.agent(agent.slug)} aria-label={`Public page of ${agent.name}`}>
          Public page
        </a>
      </p>
    </li>
  );
}
