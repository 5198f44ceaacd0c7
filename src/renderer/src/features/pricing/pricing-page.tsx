import { useRef, useState } from 'react';
import { strings } from '../../strings.ts';
import { Page } from '../../ui/page.tsx';
import { BtcSection } from './btc-section.tsx';
import { CourseSection } from './course-section.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ModelsSection } from './models-section.tsx';
import { useBtcPrice, useModels, useRefresh } from './use-pricing.ts';

const words = strings.pricing;

/** Prices: of BTC, now and lately, and of the tokens of each model. */
export const PricingPage = () => {
  const btc = useBtcPrice();
  const refresh = useRefresh();
  const models = useModels();
  const scroller = useRef<HTMLDivElement>(null);
  const [isImporting, setIsImporting] = useState(false);
  return (
    <Page title={words.heading} description={words.description} scroller={scroller}>
      <div className="flex flex-col border-b border-line single:flex-row">
        <div className="border-line max-single:border-b single:w-64 single:shrink-0 single:border-r">
          <BtcSection btc={btc} refresh={refresh} />
        </div>
        <CourseSection />
      </div>
      <ModelsSection
        models={models}
        btcUsd={btc.status === 'ready' ? btc.price.btc_price_usd : null}
        scroller={scroller}
        onImport={() => setIsImporting(true)}
      />
      <ImportDialog open={isImporting} onOpenChange={setIsImporting} />
    </Page>
  );
};
