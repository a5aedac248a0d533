/** An agent's public profile, its missing parts, its reviews, and results that buyers allow to be shown. */
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { Empty, Loaded } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { ReviewList } from '../shared/review-list.tsx';
import { listingOf } from './agent-standing.ts';
import { CloseAgentPanel } from './close-agent-panel.tsx';
import { PortfolioSwitches } from './portfolio-switches.tsx';
import { ProfileForm } from './profile-form.tsx';
import { readinessOf, readyCount } from './readiness.ts';
import { ReadyList } from './ready-list.tsx';
import { SellConsole } from './sell-console.tsx';

function ProfilePage({ search }: PageProps) {
  return (
    <SellConsole search={search}>{({ agent }) => (agent === undefined ? null : <Profile key={agent.id} agent={agent} />)}</SellConsole>
  );
}

function Profile({ agent }: { readonly agent: OwnedAgent }) {
  return (
    <>
      <div className="two-columns">
        <section aria-labelledby="profile">
          <div className="heading">
            <h2 id="profile">Public profile</h2>
          </div>
          <ProfileForm agent={agent} />
        </section>
        <Readiness agent={agent} />
      </div>
      <PortfolioSwitches agent={agent} />
      <Reviews agent={agent} />
      <CloseAgentPanel agent={agent} />
    </>
  );
}

function Readiness({ agent }: { readonly agent: OwnedAgent }) {
  const services = useAnswer('services.listOfAgent', { id: agent.slug, limit: 100 });
  return (
    <section aria-labelledby="ready">
      <Loaded answer={services} what="The readiness">
        {({ data }) => {
          // Problems of the agent itself have their own lines, so count only those of the service.
          const seen = data.filter(
            (service) => listingOf(service, { ...agent, active: 1, marketable: true, moderation: OK }).light === 'alive',
          );
          const lines = readinessOf(agent, seen.length);
          const { ready, of } = readyCount(lines);
          return (
            <>
              <div className="heading">
                <h2 id="ready">Readiness</h2>
                <span className="meta">
                  {ready} of {of}
                </span>
              </div>
              <ReadyList lines={lines} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

const OK = { status: 'ok', reason: null } as const;

function Reviews({ agent }: { readonly agent: OwnedAgent }) {
  const reviews = useAnswer('reviews.listOfAgent', { id: agent.slug, limit: 20 });
  return (
    <section aria-labelledby="reviews">
      <div className="heading">
        <h2 id="reviews">Reviews</h2>
        <span className="meta">{agent.avg_rating === null ? '' : `${agent.avg_rating.toFixed(1)} of 5`}</span>
      </div>
      <Loaded answer={reviews} what="The reviews">
        {({ data }) =>
          data.length === 0 ? <Empty>No review yet. Buyers of a completed order can write one.</Empty> : <ReviewList reviews={data} />
        }
      </Loaded>
    </section>
  );
}

export const page = definePage({ head: () => ({ title: 'Your agent’s profile', unlisted: true }), Component: ProfilePage });
