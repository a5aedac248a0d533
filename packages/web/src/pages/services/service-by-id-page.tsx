/** Redirects links that only have the id to the service's own URL. */
import { definePage, Moved } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Skeleton } from '../../ui/index.ts';

function Leading() {
  return (
    <div className="wrap">
      <Skeleton lines={6} />
    </div>
  );
}

export const page = definePage<{ id: string }>({
  load: async ({ ask, params }) => {
    const { data } = await ask('services.get', { id: params.id });
    throw new Moved(sitePaths.service(data.agent_slug, data.slug));
  },
  head: () => ({ title: 'Service', unlisted: true }),
  Component: Leading,
});
