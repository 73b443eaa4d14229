package web

import "tocsin/internal/locale"

// walletText is what the script of the page says of a wallet: its state in a word or two, the point, in which %s is the
// name of the wallet, and what to do, in which %s is what Named stands for.
type walletText struct {
	About             string
	State, Head, Text locale.Key
	Named             string
}

// walletTexts are what the script says, by what it is about. The errors are those of EIP-1193 and EIP-1474.
var walletTexts = []walletText{
	{About: "unnamed", Head: "A wallet"},
	{About: "nameless", Head: "The wallet of this browser"},
	{About: "asks", State: "asking", Head: "%s has a question for you.",
		Text: "It asks whether this page may know your address. Say yes there."},
	{About: "shows", State: "waiting for you", Head: "%s has a question for you.",
		Text: "It shows you the message below. Sign it if it is the same, word for word."},
	{About: "late", State: "no answer yet", Head: "%s has not answered yet.", Text: "It may be locked, or its window " +
		"may be behind this one. Open it and answer there; this page goes on by itself. Or choose it again."},
	{About: "locked", State: "locked", Head: "%s was locked.", Text: "Nothing was sent. Open it, and choose it again."},
	{About: "switched", State: "account changed", Head: "You changed the account.", Named: "{account}",
		Text: "The message was for %s. Choose the wallet again, and you sign in with the other one."},
	{About: "empty", State: "no account", Head: "%s named no account.",
		Text: "Open it, choose an account, and try again."},
	{About: "unsigned", State: "no signature", Head: "%s gave no signature.",
		Text: "You are not signed in. Choose it again, or another one."},
	{About: "signed", State: "signed", Head: "Signed.", Text: "One moment."},
	{About: "offline", Head: "We cannot be reached.",
		Text: "You may be offline. Nothing was signed; choose the wallet again in a moment."},
	{About: "often", Head: "Not so fast, please", Named: "{wait}",
		Text: "Somebody in your network has signed in very often. Try again in about %s."},
	{About: "broken", Head: "Something failed on our side",
		Text: "Nothing was signed. Choose the wallet again in a moment."},
	{About: "declined", State: "said no a moment ago", Head: "You declined in %s.",
		Text: "Nothing was signed. Choose the wallet again when you are ready."},
	{About: "open", State: "has a question open", Head: "%s is waiting for you already.", Text: "It may be locked. Open " +
		"it and answer the question there; then choose it again if nothing happens here."},
	{About: "forbidden", State: "account not allowed", Head: "%s does not let this page use that account.",
		Text: "Allow it there, or choose another account, and choose the wallet again."},
	{About: "disconnected", State: "not connected", Head: "%s is not connected to its network.",
		Text: "Nothing was signed. Look into the wallet, and choose it again."},
	{About: "unable", State: "cannot sign", Head: "%s cannot sign messages here.",
		Text: "Choose another wallet, or sign by hand, below."},
	{About: "failed", State: "did not work", Head: "%s could not do it.",
		Text: "Nothing was signed. Choose it again, or another one."},
	{About: "reasoned", State: "did not work", Head: "%s could not do it.", Named: "{reason}",
		Text: "Nothing was signed. It says: “%s” Choose it again, or another one."},
}
