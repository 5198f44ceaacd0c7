import { useState } from 'react';
import { useRefreshBtcPrice } from '../../money/refresh-btc-price.ts';
import { pricing as words } from '../../strings/pricing.ts';
import { Page } from '../../ui/page.tsx';
import { BtcSection } from './btc-section.tsx';
import { CalculatorSection } from './calculator-section.tsx';
import { PriceHistorySection } from './chart/price-history-section.tsx';
import { hasTypedImport, ImportDialog } from './import/import-dialog.tsx';
import { ModelsSection } from './models/models-section.tsx';
import { useBtcPrice, useModels } from './use-pricing.ts';

/** Shows the BTC price with its history, and each model's token prices. */
export const PricingPage = () => {
  const btc = useBtcPrice();
  const refresh = useRefreshBtcPrice();
  const models = useModels();
  const btcUsd = btc.status === 'ready' ? btc.price.btc_price_usd : null;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [isImporting, setIsImporting] = useState(hasTypedImport);
  return (
    <Page title={words.heading} description={words.description} scroller={setScroller}>
      <div className="flex flex-col border-b border-line single:flex-row single:flex-wrap">
        <div className="border-line max-single:border-b single:w-60 single:shrink-0 single:border-r">
          <BtcSection btc={btc} refresh={refresh} />
        </div>
        <PriceHistorySection />
        <div className="w-full border-line max-wide:border-t wide:w-80 wide:border-l">
          <CalculatorSection models={models.status === 'ready' ? models.models : []} btcUsd={btcUsd} />
        </div>
      </div>
      <ModelsSection
        models={models}
        btcUsd={btcUsd}
        scroller={scroller}
        onImport={() => setIsImporting(true)}
      />
      <ImportDialog open={isImporting} onOpenChange={setIsImporting} />
    </Page>
  );
};
