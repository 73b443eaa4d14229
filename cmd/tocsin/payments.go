package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/evm"
	"tocsin/internal/jsonrpc"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// The default facilitators. The public one supports test networks only.
const (
	platformFacilitator = "https://api.cdp.coinbase.com/platform/v2/x402"
	testFacilitator     = "https://x402.org/facilitator"
)

// paymentFlags are the flags of serve about payments.
type paymentFlags struct {
	payTo, payToSolana, network, asset string
	facilitator, rpcURL, rpcURLSolana  string
	rpcURLEthereum                     string
	facilitatorTimeout                 time.Duration
}

func (f *paymentFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.payTo, "pay-to", "", "EVM `WALLET` that receives payments; without a wallet, payments are off")
	set.StringVar(&f.payToSolana, "pay-to-solana", "", "Solana `WALLET` that receives payments; "+
		"it must have a USDC account")
	set.StringVar(&f.network, "network", x402.Base, "`NETWORK` of -pay-to (CAIP-2): "+x402.Base+" is Base, "+
		x402.BaseSepolia+" is Base Sepolia; with the latter, -pay-to-solana is on devnet")
	set.StringVar(&f.asset, "asset", "", "token `CONTRACT` to accept on -network instead of USDC; "+
		"CONTRACT:NAME:VERSION if its EIP-712 domain differs")
	set.StringVar(&f.facilitator, "facilitator", "", "`URL` of the x402 facilitator (default: Coinbase's "+
		"if CDP_API_KEY_ID and CDP_API_KEY_SECRET are set; on test networks "+testFacilitator+")")
	set.DurationVar(&f.facilitatorTimeout, "facilitator-timeout", 20*time.Second, "timeout of a call to the facilitator")
	set.StringVar(&f.rpcURL, "rpc-url", "", "JSON-RPC `URL` of a node of -network, to check signatures of contract "+
		"wallets, and payments whose outcome the facilitator does not report")
	set.StringVar(&f.rpcURLSolana, "rpc-url-solana", "", "JSON-RPC `URL` of a Solana node, to check payments likewise")
	set.StringVar(&f.rpcURLEthereum, "rpc-url-ethereum", "", "JSON-RPC `URL` of an Ethereum node, which the website "+
		"asks where ENS names and transactions lead; it asks the node of -rpc-url about transactions, too")
}

// payments returns the configuration of payments. It refuses what looks like a
// mistake: money that is paid to a mistyped wallet is lost.
func (f *paymentFlags) payments(env func(string) (string, bool), node *evm.Node) (p api.Payments, err error) {
	network, err := x402.ParseNetwork(f.network, f.asset)
	if err != nil {
		return p, usage("-network, -asset: %w", err)
	}
	if network.IsSolana() {
		return p, usage("-network names the network of -pay-to, %s or %s; -pay-to-solana needs none",
			x402.Base, x402.BaseSepolia)
	}
	if f.payTo != "" {
		account, err := network.Account(f.payTo)
		if err != nil {
			return p, usage("-pay-to: %w", err)
		}
		p.Accounts = append(p.Accounts, account)
	}
	if f.payToSolana != "" {
		solana, err := x402.ParseNetwork(solanaOf(f.network), "")
		if err != nil {
			return p, err
		}
		account, err := solana.Account(f.payToSolana)
		if err != nil {
			return p, usage("-pay-to-solana: %w", err)
		}
		p.Accounts = append(p.Accounts, account)
	}
	if f.facilitatorTimeout < 100*time.Millisecond || f.facilitatorTimeout > time.Minute {
		return p, usage("-facilitator-timeout %v is not between 100ms and 1m", f.facilitatorTimeout)
	}
	o := x402.Options{Timeout: f.facilitatorTimeout, Now: time.Now, Random: rand.Reader}
	id, _, err := setting(env, "CDP_API_KEY_ID")
	if err != nil {
		return p, err
	}
	secret, _, err := setting(env, "CDP_API_KEY_SECRET")
	if err != nil {
		return p, err
	}
	if id != "" || secret != "" {
		if o.Credentials, err = x402.ParseCredentials(id, secret); err != nil {
			return p, usageError{err}
		}
	}
	url := f.facilitator
	switch {
	case url != "":
	case o.Credentials != nil:
		url = platformFacilitator
	case f.network == x402.BaseSepolia:
		url = testFacilitator
	case len(p.Accounts) > 0:
		return p, usage("to accept payments on %s, name a facilitator with -facilitator, or set CDP_API_KEY_ID "+
			"and CDP_API_KEY_SECRET to use Coinbase's", network.Name)
	}
	if url != "" {
		if p.Facilitator, err = x402.NewFacilitator(url, o); err != nil {
			return p, usage("-facilitator: %w", err)
		}
	}
	p.Chains = map[string]api.Chain{}
	if node != nil {
		p.Chains[f.network] = x402.NewEVMChain(node)
	}
	if f.rpcURLSolana != "" {
		node, err := jsonrpc.New(f.rpcURLSolana, f.facilitatorTimeout)
		if err != nil {
			return p, usage("-rpc-url-solana: %w", err)
		}
		p.Chains[solanaOf(f.network)] = x402.NewSolanaChain(node)
	}
	return p, nil
}

// chain returns the EIP-155 id of -network.
func (f *paymentFlags) chain() (uint64, error) {
	id, err := strconv.ParseUint(strings.TrimPrefix(f.network, "eip155:"), 10, 64)
	if err != nil {
		return 0, usage("-network %q is not like %s", f.network, x402.Base)
	}
	return id, nil
}

// node returns the node of -rpc-url, or nil if there is none.
func (f *paymentFlags) node(ctx context.Context, log *slog.Logger) (*evm.Node, error) {
	if f.rpcURL == "" {
		return nil, nil
	}
	chain, err := f.chain()
	if err != nil {
		return nil, err
	}
	return f.nodeAt(ctx, log, "-rpc-url", f.rpcURL, chain, "the chain of -network")
}

// nodes returns the nodes that the website may ask: that of Ethereum, and that of -rpc-url, if there are any.
func (f *paymentFlags) nodes(ctx context.Context, log *slog.Logger, network *evm.Node) (nodes []*evm.Node, err error) {
	if f.rpcURLEthereum != "" {
		node, err := f.nodeAt(ctx, log, "-rpc-url-ethereum", f.rpcURLEthereum, evm.Ethereum, "Ethereum")
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	if network != nil {
		nodes = append(nodes, network)
	}
	return nodes, nil
}

// nodeAt returns the node of a flag. A node of another chain is an error. One that does not respond now is checked
// before its first use.
func (f *paymentFlags) nodeAt(
	ctx context.Context, log *slog.Logger, flag, url string, chain uint64, name string,
) (*evm.Node, error) {
	node, err := evm.NewNode(url, chain, f.facilitatorTimeout)
	if err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := node.CheckChain(ctx); errors.Is(err, evm.ErrOtherChain) {
		return nil, usage("%s: %w, which is %s", flag, err, name)
	} else if err != nil {
		log.Warn("the node of " + flag + " does not respond: " + err.Error())
	}
	return node, nil
}

// solanaOf returns the Solana network for a network of Base: devnet for a test
// network.
func solanaOf(network string) string {
	if network == x402.BaseSepolia {
		return x402.SolanaDevnet
	}
	return x402.Solana
}

type listPaymentsFlags struct {
	*commandLine
	since string
	json  bool
}

func newPayments(c *commandLine) runFunc {
	f := &listPaymentsFlags{commandLine: c}
	f.StringVar(&f.since, "since", "", "only payments since `WHEN`: a date, a time, or an age such as 24h or 7d")
	f.BoolVar(&f.json, "json", false, "print one JSON object: "+
		"{\"payments\": […], \"takings\": […], \"unproven\": […]}")
	return f.run
}

// run prints every payment, and the revenue per day, network and operation.
func (f *listPaymentsFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	since, err := parseWhen("-since", f.since, time.Now())
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if f.json {
		return paymentsJSON(ctx, e.stdout, db, since)
	}
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PAYMENT\tAT\tSTATE\tOPERATION\tNETWORK\tAMOUNT\tPAYER\tTRANSACTION")
	count, open := 0, map[string]int{}
	now := db.Now()
	takings, err := db.Payments(ctx, since, func(p store.Payment) error {
		count++
		if p.State == "settling" && p.Abandoned(now) {
			open[abandoned]++
		} else {
			open[p.State]++
		}
		transaction := p.Transaction
		if p.Reason != "" {
			transaction = strings.TrimSpace(transaction + " (" + p.Reason + ")")
		}
		_, err := fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.ID, seconds(p.At), p.State, p.Operation, p.Network,
			coins(p.Amount), p.Payer, cmp.Or(transaction, "-"))
		return err
	})
	if err != nil {
		return err
	}
	if count == 0 && len(takings.Settled)+len(takings.Unproven) == 0 {
		says := "There are no payments."
		if f.since != "" {
			says = "There are no payments since " + seconds(since) + "."
		}
		_, err := fmt.Fprintln(e.stdout, says)
		return err
	}
	fmt.Fprintln(t)
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(t, "DAY\tNETWORK\tOPERATION\tPAYMENTS\tAMOUNT\tASSET")
	for _, k := range takings.Settled {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\n", k.Day, k.Network, k.Operation, k.Payments, coins(k.Amount), k.Asset)
	}
	printTotals(t, "total", takings.Settled, "")
	printTotals(t, "unproven", takings.Unproven, " (settled without a transaction; in no total)")
	if err := t.Flush(); err != nil {
		return err
	}
	for _, state := range []string{"settling", abandoned, "claimed"} {
		if n := open[state]; n > 0 {
			fmt.Fprintf(e.stderr, "%s (%d): %s\n", state, n, openStates[state])
		}
	}
	return nil
}

// abandoned is settling of payments that the server asks about no more.
const abandoned = "settling for over two days"

// openStates say what the states of payments mean that are not settled, and what the operator does.
var openStates = map[string]string{
	"settling": "sent, and how that ended is not known. The server asks the facilitator again for two days, and the " +
		"chain if -rpc-url or -rpc-url-solana names a node. They are in no total.",
	abandoned: "the server asks no more. Look in your wallet for the amount of that payer at that time. If it is there, " +
		"say: tocsin payment close -transaction HASH -reason WHY PAYMENT; if not: tocsin payment close -not-paid -reason " +
		"WHY PAYMENT",
	"claimed": "a call is in progress, or its process died before anything was sent. A server that takes payments " +
		"deletes it after two days.",
}

// printTotals prints a line for each asset: amounts of one token cannot be added to
// those of another.
func printTotals(out io.Writer, name string, all []store.Revenue, note string) {
	totals := map[string]store.Revenue{}
	for _, k := range all {
		sum := totals[k.Asset]
		totals[k.Asset] = store.Revenue{Payments: sum.Payments + k.Payments, Amount: sum.Amount + k.Amount}
	}
	for _, asset := range slices.Sorted(maps.Keys(totals)) {
		sum := totals[asset]
		fmt.Fprintf(out, "%s\t\t\t%d\t%s\t%s%s\n", name, sum.Payments, coins(sum.Amount), asset, note)
	}
}

func paymentsJSON(ctx context.Context, out io.Writer, db *store.DB, since tocsin.Time) error {
	answer := struct {
		Payments []store.Payment `json:"payments"`
		Takings  []store.Revenue `json:"takings"`
		Unproven []store.Revenue `json:"unproven"`
	}{[]store.Payment{}, []store.Revenue{}, []store.Revenue{}}
	takings, err := db.Payments(ctx, since, func(p store.Payment) error {
		answer.Payments = append(answer.Payments, p)
		return nil
	})
	if err != nil {
		return err
	}
	answer.Takings = append(answer.Takings, takings.Settled...)
	answer.Unproven = append(answer.Unproven, takings.Unproven...)
	return json.NewEncoder(out).Encode(answer)
}

// coins formats atomic units of a token with six decimals.
func coins(atomic int64) string {
	return fmt.Sprintf("%d.%06d", atomic/1_000_000, atomic%1_000_000)
}
