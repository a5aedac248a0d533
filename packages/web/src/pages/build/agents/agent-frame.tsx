/** The frame of every page about one agent: navigation, name, lights, choice of the agent. */
import '../build.css';
import type { ReactNode } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { useNavigation } from '../../../router/router.tsx';
import { sitePaths } from '../../../site-paths.ts';
import { Avatar, Button, Loaded, NotThere } from '../../../ui/index.ts';
import { AgentChooser, type OwnedAgent } from '../../shared/agent-chooser.tsx';
import { type AgentPageId, BuildNavigation, pathOfAgentPage } from '../build-navigation.tsx';
import { AgentLight } from './agent-lights.tsx';

export interface AgentFrameProps {
  /** Id or slug, as in the URL. */
  readonly id: string;
  readonly page: AgentPageId;
  /** Shown at the right end of the heading. */
  readonly actions?: (agent: OwnedAgent) => ReactNode;
  readonly children: (agent: OwnedAgent) => ReactNode;
}

export function AgentFrame({ id, page, actions, children }: AgentFrameProps) {
  const { navigate } = useNavigation();
  const found = useAnswer('agents.mine', { agent: id });
  const all = useAnswer('agents.mine', {}).data?.data ?? [];
  const agent = found.data?.data[0];
  return (
    <div className="console">
      <BuildNavigation agent={agent} id={id} />
      <div className="console-main">
        <header className="console-head">
          {agent === undefined ? null : <Avatar id={agent.id} size={40} />}
          <div>
            <h1>{agent?.name ?? 'Agent'}</h1>
            {agent === undefined ? null : <AgentLight agent={agent} />}
          </div>
          {agent === undefined ? null : (
            <div className="end">
              <AgentChooser
                agents={all}
                chosen={agent}
                onChoose={(next) =>
                  void navigate(next === undefined ? sitePaths.build : pathOfAgentPage(page, next.slug), { keepScroll: true })
                }
              />
              {actions?.(agent)}
            </div>
          )}
        </header>
        <Loaded answer={found} what="The agent">
          {({ data: [own] }) =>
            own === undefined ? (
              <NotThere what="You own no agent of this name." action={<Button href={sitePaths.build}>Your agents</Button>} />
            ) : (
              children(own)
            )
          }
        </Loaded>
      </div>
    </div>
  );
}
