#!/usr/bin/env perl
# A part of a scheduler in Perl: cordoned nodes, of a cluster to which objects are only added.
#
# pytest conformance/ --impl="exec:perl docs/examples/partial/cordons.pl"

use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical;
my %hello = (
    name         => "cordons.pl",
    version      => "1",
    kubernetes   => "1.37",
    capabilities => ["filter"],
    plugins      => ["NodeUnschedulable"],
    inputs       => ["create"],
);
my ( %nodes, %pods );
$| = 1;
while ( my $line = <STDIN> ) {
    my ( $request, $body ) = %{ $json->decode($line) };
    print $json->encode( answer( $request, $body ) ), "\n";
}

sub answer {
    my ( $request, $body ) = @_;
    return \%hello if $request eq "hello";
    if ( $request eq "reset" ) {
        %nodes = %pods = ();
        return {};
    }
    if ( $request eq "create" ) {
        my $metadata = $body->{metadata};
        $nodes{ $metadata->{name} } = $body if $body->{kind} eq "Node";
        $pods{"$metadata->{namespace}/$metadata->{name}"} = $body if $body->{kind} eq "Pod";
        return { records => [] };
    }
    return schedule( $body->{pod} ) if $request eq "schedule";
    return { unsupported => "there is only create" };
}

sub schedule {
    my ($pod) = @_;
    my %statuses = map { $_ => filter( $pods{$pod}{spec}, $nodes{$_} ) } keys %nodes;
    my ($chosen) = grep { $statuses{$_}{code} eq "Success" } sort keys %statuses;
    my %attempt = ( pod => $pod, result => "unschedulable", filter => \%statuses );
    return { records => [ { attempt => \%attempt } ] } unless defined $chosen;
    @attempt{ "result", "node" } = ( "scheduled", $chosen );
    my %bind = ( pod => $pod, node => $chosen, result => "bound" );
    return { records => [ { attempt => \%attempt }, { bind => \%bind } ] };
}

sub filter {
    my ( $spec, $node ) = @_;
    if ( $node->{spec}{unschedulable} && !grep { tolerates($_) } @{ $spec->{tolerations} || [] } ) {
        my $code = "UnschedulableAndUnresolvable";
        return { code => $code, plugin => "NodeUnschedulable", reasons => ["node(s) were unschedulable"] };
    }
    return { code => "Success" };
}

sub tolerates {
    my ($toleration) = @_;
    return 0 if ( $toleration->{effect} || "NoSchedule" ) ne "NoSchedule";
    return 0 if ( $toleration->{key} || "node.kubernetes.io/unschedulable" ) ne "node.kubernetes.io/unschedulable";
    return 1 if ( $toleration->{operator} || "Equal" ) eq "Exists";
    return ( $toleration->{value} // "" ) eq "";
}
